import { createHash } from "node:crypto"

/** The one stylesheet of all pages: light and dark by what the reader has chosen for the screen. */
export const STYLESHEET = `
:root {
  color-scheme: light dark;
  --ground: #f5f6f8; --card: #fff; --line: #d5d9e0; --field: #7b8494; --ink: #191d24; --quiet: #565f6e;
  --main: #2456c8; --main-ink: #fff; --main-over: #1b449f; --bad: #b3261e; --bad-ground: #fdeceb; --good: #17663a;
  --good-ground: #e6f4ec; --code: #eef1f5; --shadow: 0 1px 2px rgb(20 25 40 / .06), 0 4px 16px rgb(20 25 40 / .06);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171c; --card: #1c2027; --line: #343a45; --field: #7f8898; --ink: #e8eaee; --quiet: #a5aebc;
    --main: #86aaff; --main-ink: #10182b; --main-over: #a9c3ff; --bad: #ff9d94; --bad-ground: #3a1d1c; --good: #85d6a6;
    --good-ground: #17301f; --code: #262b34; --shadow: none;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere;
}
header { background: var(--card); border-bottom: 1px solid var(--line); }
.bar, nav ul, main, footer { width: 100%; max-width: 60rem; margin: 0 auto; padding: 0 1.25rem; }
.bar { display: flex; align-items: center; justify-content: space-between; gap: 1rem; min-height: 3.75rem; }
.brand { display: flex; align-items: center; gap: .6rem; font-weight: 650; font-size: 1.1rem; color: var(--ink); text-decoration: none; }
.brand rect { fill: var(--main); } .brand path { stroke: var(--main-ink); }
.right { display: flex; align-items: center; gap: .9rem; min-width: 0; }
.who { color: var(--quiet); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 16rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .1rem 1.5rem; list-style: none; }
nav a { display: block; padding: .45rem 0 .6rem; color: var(--quiet); text-decoration: none; border-bottom: 3px solid transparent; }
nav a:hover { color: var(--ink); border-color: var(--line); }
nav a[aria-current] { color: var(--ink); font-weight: 600; border-color: var(--main); }
main { flex: 1; padding-top: 2.25rem; padding-bottom: 3rem; }
main.narrow { max-width: 30rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1.25rem; letter-spacing: -.01em; }
h2 { font-size: 1.15rem; margin: 0 0 .9rem; } h2 + .quiet { margin-top: -.55rem; }
p { margin: 0 0 1rem; } p:last-child { margin-bottom: 0; }
a { color: var(--main); text-underline-offset: .15em; }
a:hover { color: var(--main-over); }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; border-radius: 4px; }
.skip { position: absolute; left: -999rem; } .skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem 1rem; z-index: 1; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.5rem; margin-bottom: 1.25rem; box-shadow: var(--shadow); }
.quiet, .hint { color: var(--quiet); } .hint, .small { font-size: .9rem; }
.field { margin-bottom: 1.15rem; } .wide .field, .secret { max-width: 32rem; }
.field label, legend { display: block; font-weight: 600; margin-bottom: .3rem; padding: 0; }
.field label .quiet { font-weight: 400; }
.field .hint { margin-bottom: .4rem; }
input:not([type=hidden], [type=radio], [type=checkbox], [type=file]), textarea, select {
  width: 100%; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--field); border-radius: 8px; padding: .6rem .75rem; min-height: 2.9rem;
}
textarea { font-family: ui-monospace, monospace; font-size: .92rem; resize: vertical; }
input[type=file] { font: inherit; width: 100%; }
input[type=file]::file-selector-button { font: inherit; font-weight: 500; color: var(--ink); background: transparent; border: 1px solid var(--field); border-radius: 8px; padding: .45rem .9rem; margin-right: .8rem; cursor: pointer; }
[aria-invalid=true] { border-color: var(--bad) !important; box-shadow: inset 0 0 0 1px var(--bad); }
.fault { color: var(--bad); margin: .4rem 0 0; font-weight: 500; }
fieldset { border: 0; padding: 0; margin: 0 0 1.15rem; }
.choice { display: flex; gap: .6rem; align-items: baseline; margin: .3rem 0; font-weight: 400; }
.kinds { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin-bottom: .6rem; } .kinds legend { margin: 0; }
button, .button {
  display: inline-block; font: inherit; font-weight: 600; border-radius: 8px; border: 1px solid transparent; padding: .6rem 1.1rem; min-height: 2.9rem; cursor: pointer; text-decoration: none; text-align: center;
}
button.main, .button { background: var(--main); color: var(--main-ink); }
button.main:hover, .button:hover { background: var(--main-over); color: var(--main-ink); }
button.plain, .button.plain { background: transparent; color: var(--ink); border-color: var(--field); }
button.danger { background: transparent; color: var(--bad); border-color: var(--bad); }
button.plain:hover, .button.plain:hover, button.danger:hover { background: var(--code); }
.inline { display: inline; } header button, .rows button { padding: .3rem .8rem; min-height: 2.25rem; font-weight: 500; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; }
.actions.even > * { flex: 1; }
.notice { border-radius: 8px; padding: .8rem 1rem; margin-bottom: 1.25rem; background: var(--code); }
.notice.good { background: var(--good-ground); color: var(--good); } .notice.bad { background: var(--bad-ground); color: var(--bad); }
code, .secret { font-family: ui-monospace, SFMono-Regular, Menlo, monospace; font-size: .92em; }
code { background: var(--code); border-radius: 4px; padding: .1em .35em; }
.secret { display: block; width: 100%; background: var(--code); border: 1px dashed var(--field); border-radius: 8px; padding: .8rem 1rem; user-select: all; }
pre { font: .88rem/1.5 ui-monospace, SFMono-Regular, Menlo, monospace; background: var(--code); border-radius: 8px; padding: .8rem 1rem; margin: 0; overflow-x: auto; }
.letter { white-space: pre-wrap; }
.after { margin: 0 0 1.25rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.tag { font-size: .8rem; font-weight: 600; background: var(--good-ground); color: var(--good); border-radius: 999px; padding: .1rem .6rem; margin-left: .3rem; }
.tag.bad { background: var(--bad-ground); color: var(--bad); } .tag.waiting { background: var(--code); color: var(--quiet); }
.rows { list-style: none; margin: 0; padding: 0; }
.rows > li { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; padding: .9rem 0; border-top: 1px solid var(--line); }
.rows > li:first-child { border-top: 0; padding-top: 0; } .rows > li:last-child { padding-bottom: 0; }
.rows .what { flex: 1 1 16rem; min-width: 0; } .rows p { margin: 0; } .rows .name { font-weight: 600; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .5rem 1.25rem; margin: 0 0 1rem; }
.facts dt { color: var(--quiet); } .facts dd { margin: 0; min-width: 0; }
.may { margin: 0 0 1rem; padding: 0; list-style: none; }
.may li { padding: .3rem 0 .3rem 1.9rem; position: relative; }
.may li::before { content: "✓"; position: absolute; left: .3rem; color: var(--good); font-weight: 700; } .may.not li::before { content: "✕"; color: var(--quiet); }
.portrait { width: 72px; height: 72px; border-radius: 50%; object-fit: cover; background: var(--code); }
.side { display: flex; gap: 1.25rem; align-items: center; flex-wrap: wrap; } .side > :last-child { flex: 1 1 15rem; }
details > summary { cursor: pointer; font-weight: 600; padding: .4rem 0; } details[open] > summary { margin-bottom: .6rem; } details + details { margin-top: .6rem; }
footer { color: var(--quiet); font-size: .9rem; padding-bottom: 1.5rem; }
@media (max-width: 34rem) {
  .bar, nav ul, main, footer { padding-left: 1rem; padding-right: 1rem; } main { padding-top: 1.5rem; } .card { padding: 1.1rem; }
  .who { max-width: 8rem; } .facts { grid-template-columns: 1fr; gap: 0; } .facts dd { margin-bottom: .6rem; } nav ul { column-gap: 1.1rem; }
}
@media (forced-colors: active) { nav a[aria-current] { text-decoration: underline; } }
`

/** Where it is; another text has another address, so that it can be kept for ever. */
export const stylesheetPath = `/assets/${createHash("sha256").update(STYLESHEET).digest("hex").slice(0, 16)}.css`
