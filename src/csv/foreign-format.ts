/** A kind of file that is no CSV but is often given for one. */
interface ForeignFormat {
  readonly magic: readonly number[];
  readonly name: string;
  readonly advice: string;
}

const FORMATS: readonly ForeignFormat[] = [
  { magic: [0x50, 0x4b, 0x03, 0x04], name: "a ZIP archive", advice: "unpack it and give the CSV" },
  {
    magic: [0xd0, 0xcf, 0x11, 0xe0],
    name: "an Excel workbook (.xls)",
    advice: 'save the sheet as "CSV UTF-8" in Excel',
  },
  { magic: [0x1f, 0x8b], name: "a gzip archive", advice: "unpack it with gunzip and give the CSV" },
  { magic: [0x25, 0x50, 0x44, 0x46], name: "a PDF document", advice: "export the table as CSV" },
];

const WORKBOOK: Omit<ForeignFormat, "magic"> = {
  name: "an Excel workbook (.xlsx)",
  advice: 'save the sheet as "CSV UTF-8" in Excel',
};

/** What the file is when its first bytes show that it is no CSV, whatever its name says. */
export function findForeignFormat(
  head: Uint8Array,
): Pick<ForeignFormat, "name" | "advice"> | undefined {
  const found = FORMATS.find(({ magic }) => magic.every((byte, index) => head[index] === byte));
  // An xlsx file is a ZIP whose first members tell what it is (ECMA-376 part 2).
  const text = Buffer.from(head).toString("latin1");
  const isWorkbook = text.startsWith("PK") && /\[Content_Types\]\.xml|xl\//u.test(text);
  return found !== undefined && isWorkbook ? WORKBOOK : found;
}
