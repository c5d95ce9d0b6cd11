/** 0xA0 to 0xFF of ISO 8859-1. */
const LATIN1 = String.fromCharCode(...Array.from({ length: 96 }, (_, index) => 0xa0 + index));

/**
 * The characters of the bytes 0x80 to 0xFF: of the two DOS code pages that old ERP exports still use, which the
 * platform's decoders do not know, and of Windows-1252, which some of them decode as ISO 8859-1.
 */
const CODE_PAGES: Readonly<Record<"cp437" | "cp850" | "windows-1252", string>> = {
  cp437:
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00A0",
  cp850:
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00AD±‗¾¶§÷¸°¨·¹³²■\u00A0",
  "windows-1252": `€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ${LATIN1}`,
};

const LABELS: Readonly<Record<string, keyof typeof CODE_PAGES>> = {
  "437": "cp437",
  cp437: "cp437",
  ibm437: "cp437",
  "850": "cp850",
  cp850: "cp850",
  ibm850: "cp850",
  "windows-1252": "windows-1252",
};

export interface CodePage {
  /** `cp850`, `cp437` or `windows-1252`. */
  readonly name: string;
  /** The 128 characters of the bytes from 0x80 on. */
  readonly upper: string;
}

/** The code page that a label names; `undefined` for any other encoding. */
export function codePageOf(label: string): CodePage | undefined {
  const name = LABELS[label.trim().toLowerCase()];
  return name === undefined ? undefined : { name, upper: CODE_PAGES[name] };
}
