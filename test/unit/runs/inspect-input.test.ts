import { expect, it } from "vitest";
import { inspectInput } from "../../../src/runs/inspect-input.ts";
import { tempFile } from "../csv/temp-folder.ts";
import { planFor } from "./run-fixture.ts";

it("tells what a run would make of a file", async () => {
  const bad = Array.from({ length: 6 }, (_, row) => `${row + 3},,Rome,x`).join("\n");
  const file = await tempFile(
    `Vendors\nid,name,city,note\n1,ACME,Ulm,x\n2,ACME,Ulm,y\n${bad}\n1,Globex,Bonn,z\nTotal,9,,\n`,
  );
  expect(await inspectInput(await planFor(file))).toEqual({
    encoding: "utf-8",
    delimiter: ",",
    headerLine: 2,
    reasons: {
      encoding: "the whole file is valid UTF-8",
      delimiter: expect.stringContaining("3 of them known by name"),
      header: "line 2 is the first with known names and the usual width",
    },
    mapping: [
      { field: "name", headers: ["name"] },
      { field: "city", headers: ["city"] },
      { field: "internalId", headers: ["id"] },
    ],
    ignoredColumns: ["note"],
    rows: { total: 9, bad: 6, duplicates: 1, messages: 2, reused: 0 },
    badRows: [{ reason: "NAME_MISSING", count: 6, lines: [5, 6, 7, 8, 9] }],
    warnings: ["The internalId is that of an earlier row with other data: line 11."],
    skipped: [
      { line: 1, why: "above the header", text: "Vendors" },
      { line: 12, why: "the end of the file, not a partner", text: "Total,9,," },
    ],
    firstMessage: "Name: ACME, City: Ulm",
  });
});
