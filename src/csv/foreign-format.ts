/** A kind of file that is no CSV but is often given for one. */
export interface ForeignFormat {
  readonly name: string;
  readonly advice: string;
}

interface MagicFormat extends ForeignFormat {
  readonly magic: readonly number[];
}

const SAVE_SHEET = 'save the sheet as "CSV UTF-8"';
const UNPACK = "unpack it and give the CSV";

const FORMATS: readonly MagicFormat[] = [
  {
    magic: [0xd0, 0xcf, 0x11, 0xe0],
    name: "an Excel workbook (.xls)",
    advice: `${SAVE_SHEET} in Excel`,
  },
  { magic: [0x25, 0x50, 0x44, 0x46], name: "a PDF document", advice: "export the table as CSV" },
  { magic: [0x37, 0x7a, 0xbc, 0xaf], name: "a 7-Zip archive", advice: UNPACK },
  { magic: [0x52, 0x61, 0x72, 0x21], name: "a RAR archive", advice: UNPACK },
  { magic: [0x42, 0x5a, 0x68], name: "a bzip2 archive", advice: UNPACK },
  { magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a], name: "an xz archive", advice: UNPACK },
  { magic: [0x28, 0xb5, 0x2f, 0xfd], name: "a Zstandard archive", advice: UNPACK },
  { magic: [0x50, 0x41, 0x52, 0x31], name: "a Parquet file", advice: "export it as CSV" },
  { magic: [0x50, 0x4b, 0x03, 0x04], name: "a ZIP archive in another archive", advice: UNPACK },
  { magic: [0x1f, 0x8b], name: "a gzip archive in another archive", advice: UNPACK },
  { magic: [0x89, 0x50, 0x4e, 0x47], name: "a picture", advice: "give the table as CSV" },
  { magic: [0xff, 0xd8, 0xff], name: "a picture", advice: "give the table as CSV" },
  {
    magic: [0xff, 0xfe, 0x00, 0x00],
    name: "a text in UTF-32",
    advice: "save it as UTF-8 and give that",
  },
];

/** Workbooks by the members of the ZIP archive that they are (ECMA-376 part 2, OpenDocument 1.3 part 2). */
const WORKBOOKS: readonly { readonly member: string; readonly format: ForeignFormat }[] = [
  {
    member: "[Content_Types].xml",
    format: { name: "an Excel workbook (.xlsx)", advice: `${SAVE_SHEET} in Excel` },
  },
  {
    member: "xl/workbook.xml",
    format: { name: "an Excel workbook (.xlsx)", advice: `${SAVE_SHEET} in Excel` },
  },
  {
    member: "META-INF/manifest.xml",
    format: { name: "an OpenDocument file", advice: `${SAVE_SHEET} in LibreOffice` },
  },
];

/** What the unpacked file is when its first bytes show that it is no CSV, whatever its name says. */
export function findForeignFormat(head: Uint8Array): ForeignFormat | undefined {
  return FORMATS.find(({ magic }) => magic.every((byte, index) => head[index] === byte));
}

/** What a ZIP archive is when its members show that it is a workbook. */
export function findWorkbook(members: readonly string[]): ForeignFormat | undefined {
  return WORKBOOKS.find(({ member }) => members.includes(member))?.format;
}

/** What a text is when its beginning shows that it is no CSV. */
export function findForeignText(text: string): ForeignFormat | undefined {
  const start = text.slice(0, 1000).trimStart();
  if (/^<(?:!doctype html|html|head|body|table|style)\b/iu.test(start)) {
    return { name: "an HTML page", advice: "open it in a spreadsheet and save it as CSV UTF-8" };
  }
  if (/^<\?xml\b/iu.test(start)) return { name: "an XML document", advice: "export it as CSV" };
  if (/^(?:\[\s*)?\{\s*(?:"|\})/u.test(start) || /^\[\s*(?:"|\[|\])/u.test(start)) {
    return { name: "a JSON document", advice: "export it as CSV, one partner a line" };
  }
  return undefined;
}
