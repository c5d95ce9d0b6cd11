import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { TestContext } from "vitest";

const execute = promisify(execFile);

/** Options of LibreOffice's CSV filter by their tokens: delimiter, quote, UTF-8, first line, columns, language. */
interface CsvManner {
  readonly delimiter: "," | ";";
  /** Takes every column for text, as a person may choose in the import dialogue; else it guesses. */
  readonly allText: boolean;
}

/** Opens files as LibreOffice does and saves them. */
export interface LibreOffice {
  /** Opens CSV files and saves them as CSV with the same delimiter. @returns the new paths, in order */
  toCsv(files: readonly string[], manner: CsvManner): Promise<readonly string[]>;
  /** The same, but saved as a workbook first, which is opened anew. */
  viaWorkbook(files: readonly string[], manner: CsvManner): Promise<readonly string[]>;
}

const FILTER = "Text - txt - csv (StarCalc)";
/** More columns than any output file has. */
const COLUMNS = 60;
const UTF8 = 76;
const GERMAN = 1031;
const MISSING =
  "soffice was not found: install LibreOffice Calc (Debian: apt-get install libreoffice-calc)";

/** LibreOffice with a profile of its own, which ends with the test. @throws Error when it is not installed */
export async function openLibreOffice({
  onTestFinished,
}: Pick<TestContext, "onTestFinished">): Promise<LibreOffice> {
  const dir = await mkdtemp(path.join(tmpdir(), "onboard-batch-office-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  let conversions = 0;

  async function convert(files: readonly string[], words: readonly string[], ending: string) {
    conversions += 1;
    const outDir = path.join(dir, String(conversions));
    await mkdir(outDir);
    const profile = `-env:UserInstallation=file://${dir}/profile`;
    await execute("soffice", [profile, "--headless", ...words, "--outdir", outDir, ...files]).catch(
      (error: unknown) => {
        throw new Error(isMissing(error) ? MISSING : `soffice failed: ${String(error)}`, {
          cause: error,
        });
      },
    );
    return files.map((file) => path.join(outDir, path.basename(file).replace(/\.\w+$/, ending)));
  }

  return {
    toCsv: (files, manner) => convert(files, [opening(manner), ...saving(manner)], ".csv"),
    async viaWorkbook(files, manner) {
      const workbook = ["--convert-to", "xlsx:Calc MS Excel 2007 XML"];
      const books = await convert(files, [opening(manner), ...workbook], ".xlsx");
      return convert(books, saving(manner), ".csv");
    },
  };
}

function opening(manner: CsvManner): string {
  return `--infilter=${FILTER}:${tokens(manner)}`;
}

function saving(manner: CsvManner): string[] {
  // As shown, so that a date stays what a person sees.
  return ["--convert-to", `csv:${FILTER}:${tokens({ ...manner, allText: false })},false,true`];
}

function tokens({ delimiter, allText }: CsvManner): string {
  const columns = Array.from({ length: COLUMNS }, (_, index) => `${index + 1}/2`);
  return [delimiter.charCodeAt(0), 34, UTF8, 1, allText ? columns.join("/") : "", GERMAN].join(",");
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
