import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { safeFileName } from "../../../src/core/file-name.ts";

describe("a file name made from the agent's", () => {
  it.each([
    ["report.pdf", "report.pdf"],
    ["Annual Report 2025.pdf", "Annual_Report_2025.pdf"],
    ["Prüfung.xlsx", "Pru_fung.xlsx"],
    ["../../etc/passwd", "etc_passwd"],
    ["/root/.ssh/id_rsa", "root_.ssh_id_rsa"],
    [String.raw`C:\Windows\system.ini`, "C_Windows_system.ini"],
    [".bashrc", "bashrc"],
    ["--force", "force"],
    ["a..b...c", "a.b.c"],
    ["", "file"],
    ["...", "file"],
    ["会社", "file"],
  ])("turns %j into %j", (given, safe) => {
    expect(safeFileName(given)).toBe(safe);
  });

  it("keeps the end of a long one, where the extension is", () => {
    const safe = safeFileName(`${"x".repeat(500)}.pdf`);
    expect(safe).toHaveLength(80);
    expect(safe.endsWith("x.pdf")).toBe(true);
  });

  it("does not begin with a dot where it was cut", () => {
    expect(safeFileName(`${"x".repeat(500)}.${"y".repeat(79)}`)).toBe("y".repeat(79));
  });

  it("never names anything outside its folder, hides nothing and is no option", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0x10_ffff), { maxLength: 200 }), (codePoints) => {
        const given = String.fromCodePoint(...codePoints);
        const safe = safeFileName(given);
        expect(path.dirname(path.join("files", safe))).toBe("files");
        expect(safe).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/);
      }),
    );
  });
});
