import { expect, it } from "vitest";
import { html } from "../../../src/core/html.ts";

it("makes text of whatever is put in", () => {
  const hostile = `<script>alert("1")</script> & 'x'`;
  expect(html`<p title="${hostile}">${hostile}</p>`.markup).toBe(
    '<p title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;">&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;</p>',
  );
});

it("takes HTML of its own as it is, alone or in a list", () => {
  const items = ["<a>", "b"].map((text) => html`<li>${text}</li>`);
  expect(html`<ul>${items}</ul>${html`<hr>`}`.markup).toBe(
    "<ul><li>&lt;a&gt;</li><li>b</li></ul><hr>",
  );
});

it("takes numbers, and leaves nothing of undefined and empty lists", () => {
  expect(html`${0}|${undefined}|${[]}|${""}`.markup).toBe("0|||");
});

it("shows signs that would hide or turn text", () => {
  expect(html`${"a\u0000\u001B[31mb\u202Ec\r\nd\te"}`.markup).toBe(
    "a\uFFFD\uFFFD[31mb\uFFFDc  d e",
  );
});
