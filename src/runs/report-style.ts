/** The style of report.html: for screens of any width, light and dark, and for paper. No colour alone tells anything. */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --text: #1c1f23; --soft: #5b6470; --line: #d7dce1; --page: #fff; --box: #f5f7f9;
  --good: #1a7f4b; --bad: #c0362c; --ask: #a86400; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8eaed; --soft: #a3acb8; --line: #3a424c; --page: #16191d; --box: #20252b;
    --good: #4cc38a; --bad: #ff7a70; --ask: #f0b14c; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 3rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .2rem; }
p { margin: .3rem 0; }
.soft { color: var(--soft); }
.totals { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .6rem; margin: 1rem 0; padding: 0; }
.totals div { background: var(--box); border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .8rem; }
.totals dt { color: var(--soft); font-size: .85rem; }
.totals dd { margin: 0; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
.good { color: var(--good); } .bad { color: var(--bad); } .ask { color: var(--ask); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
th { white-space: nowrap; padding-right: 1rem; }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; width: 1%; padding-right: 1rem; }
td.message { white-space: pre-wrap; }
svg { display: block; width: 100%; height: auto; }
svg .axis { stroke: var(--line); } svg text { fill: var(--soft); font-size: 11px; }
svg .succeeded { fill: var(--good); } svg .failed { fill: var(--bad); } svg .needs-input { fill: var(--ask); }
ul { margin: .3rem 0; padding-left: 1.2rem; }
@media print {
  :root { --text: #000; --soft: #444; --line: #bbb; --page: #fff; --box: #fff; --good: #1a7f4b; --bad: #c0362c; --ask: #a86400; }
  body { max-width: none; padding: 0; font-size: 10pt; } h2, h3 { break-after: avoid; } tr, .totals, svg { break-inside: avoid; }
}
`;
