/** What the home page looks like, beside what all pages look like: its frame, its places, and what lies over it. */
export const HOME_STYLESHEET = `
:root { --side: #eef0f5; --pane: #fff; --over: #eef2fb; --star: #8a5a00; --soft: #e9eefb; --lift: 0 10px 32px rgb(20 25 40 / .18), 0 2px 8px rgb(20 25 40 / .1); }
@media (prefers-color-scheme: dark) { :root { --side: #14171c; --pane: #1a1e25; --over: #242a35; --star: #f2c14e; --soft: #232d45; --lift: 0 12px 36px rgb(0 0 0 / .55); } }
body.fixed { height: 100vh; height: 100dvh; min-height: 0; overflow: hidden; background: var(--side); }
.fixed header { background: transparent; border: 0; } .fixed .bar { max-width: none; min-height: 3.25rem; padding: 0 1rem 0 1.1rem; } .fixed .brand { font-size: 1.02rem; }
.fixed main { max-width: none; padding: 0; min-height: 0; display: flex; flex-direction: column; }
.fixed noscript .notice { margin: 0 1rem .6rem; }
.fixed.offline-shell .right { display: none; }
.icon { flex: none; width: 20px; height: 20px; fill: none; stroke: currentColor; stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round; }
.small { font-size: .875rem; } button.small, .button.small { min-height: 2.25rem; padding: .3rem .8rem; }
.quiet-button { display: inline-flex; align-items: center; gap: .4rem; background: transparent; color: var(--quiet); border: 0; font-weight: 500; font-size: .9rem; min-height: 2.25rem; padding: .2rem .6rem; border-radius: 8px; text-decoration: none; }
.quiet-button:hover, .quiet-button[aria-expanded=true], .icon-button:hover, .icon-button[aria-expanded=true] { background: var(--over); color: var(--ink); } .quiet-button.bad { color: var(--bad); }
.icon-more { stroke-width: 2.6; } .icon-button { display: inline-grid; place-items: center; flex: none; width: 2.25rem; height: 2.25rem; min-height: 0; padding: 0; border: 0; border-radius: 8px; background: transparent; color: var(--quiet); }
.chip { display: inline-block; font-size: .85rem; font-weight: 500; line-height: 1.4; min-height: 2rem; padding: .25rem .75rem; border: 1px solid var(--line); border-radius: 999px; background: transparent; color: var(--ink); cursor: pointer; }
.chip:hover { background: var(--over); } .chip[aria-pressed=true] { background: var(--soft); border-color: var(--main); color: var(--main); }
.line { display: flex; gap: .5rem; align-items: center; } .line > input { flex: 1; min-width: 0; } .grow { flex: 1; }
.home input::placeholder, .home textarea::placeholder { color: var(--quiet); opacity: 1; }

.account-menu { position: relative; } .account-menu > summary { display: flex; align-items: center; gap: .6rem; list-style: none; padding: .25rem .35rem; border-radius: 999px; font-weight: 500; margin: 0; } .account-menu > summary::-webkit-details-marker { display: none; }
.account-menu > summary:hover { background: var(--over); } .account-menu img { border-radius: 50%; display: block; background: var(--code); } .account-menu .who { color: var(--ink); padding-right: .35rem; }
.fixed .account-menu nav ul { display: block; padding: 0; margin: 0; } .fixed .account-menu nav a { padding: .55rem .8rem; border: 0; border-radius: 8px; color: var(--ink); } .fixed .account-menu nav a:hover { background: var(--over); } .fixed .account-menu nav a[aria-current] { font-weight: 600; }
.fixed .account-menu form { border-top: 1px solid var(--line); margin-top: .35rem; padding-top: .35rem; } .fixed .account-menu form button { width: 100%; border: 0; text-align: left; padding: .55rem .8rem; min-height: 2.75rem; }
.menu-around { position: relative; display: inline-flex; }
.menu { position: absolute; right: 0; top: calc(100% + 4px); z-index: 30; min-width: 13rem; max-width: 18rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: .35rem; box-shadow: var(--lift); }
.menu > button { display: flex; align-items: center; gap: .65rem; width: 100%; text-align: left; font-weight: 500; font-size: .95rem; min-height: 2.5rem; padding: .35rem .7rem; border: 0; border-radius: 8px; background: transparent; color: var(--ink); } .menu > button:hover, .menu > button:focus-visible { background: var(--over); } .menu > button.bad { color: var(--bad); } .menu .icon { color: var(--quiet); } .menu .bad .icon { color: inherit; }

.home { flex: 1; min-height: 0; display: grid; grid-template-columns: 16.5rem minmax(0, 1fr); grid-template-rows: minmax(0, 1fr); }
.home:has(> .detail) { grid-template-columns: 16.5rem minmax(0, 1fr) 25rem; }
.home ul, .home ol { list-style: none; margin: 0; padding: 0; }
.sidebar { position: relative; overflow-y: auto; padding: .25rem .75rem 1.5rem; scrollbar-width: thin; }
.home .sidebar ul { display: block; max-width: none; padding: 0; margin: 0; }
.home .sidebar a, .folder-name { display: flex; align-items: center; gap: .7rem; min-height: 2.5rem; padding: .25rem .7rem; border: 0; border-radius: 9px; color: var(--ink); text-decoration: none; font-weight: 450; cursor: pointer; }
.home .sidebar a:hover, .folder-name:hover { background: rgb(120 135 170 / .14); }
.home .sidebar a[aria-current] { background: var(--pane); font-weight: 600; box-shadow: 0 1px 2px rgb(20 25 40 / .1); }
.sidebar .icon { color: var(--quiet); } .sidebar a[aria-current] .icon { color: var(--main); }
.sidebar .name { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.count { color: var(--quiet); font-size: .82rem; font-variant-numeric: tabular-nums; font-weight: 450; }
.news { width: .5rem; height: .5rem; border-radius: 50%; background: var(--main); flex: none; position: relative; }
.sidebar .group { font-size: .78rem; font-weight: 600; color: var(--quiet); margin: 1.1rem .7rem .35rem; letter-spacing: .02em; }
.folder-head { display: flex; align-items: center; border-radius: 9px; } .folder-name { flex: 1; min-width: 0; width: 100%; font-size: 1rem; text-align: left; background: transparent; } .folder-name .icon { transition: transform .15s; } .folder-name[aria-expanded=false] .icon { transform: rotate(-90deg); } .folder ul { padding-left: 1.1rem !important; }
.folder-head .icon-button { opacity: 0; } .folder-head:hover .icon-button, .folder-head:focus-within .icon-button { opacity: 1; }
.name-form { flex: 1; } .sidebar .name-form { margin: .2rem 0; } .home .sidebar .name-form input { min-height: 2.4rem; padding: .3rem .6rem; }
.invitations { background: var(--pane); border-radius: 12px; padding: .9rem; margin-bottom: .9rem; box-shadow: var(--shadow); } .invitations h2 { font-size: .9rem; margin-bottom: .5rem; } .invitations .name { font-weight: 600; margin-bottom: .5rem; white-space: normal; } .invitations li + li { margin-top: .9rem; }
.shade { display: none; }

.main { position: relative; display: flex; flex-direction: column; min-height: 0; min-width: 0; background: var(--pane); border-top-left-radius: 16px; box-shadow: 0 0 0 1px rgb(20 25 40 / .06); padding: 0 1.25rem; }
.head { display: flex; align-items: center; gap: .75rem; min-height: 4.25rem; padding-top: .35rem; } .head h1 { margin: 0; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: 1.5rem; letter-spacing: -.015em; outline: 0; }
.drawer-button { display: none; } .tools { display: flex; align-items: center; gap: .35rem; margin-left: auto; }
.connection { font-size: .8rem; color: var(--quiet); display: inline-flex; align-items: center; gap: .4rem; white-space: nowrap; } .connection::before { content: ""; width: .5rem; height: .5rem; border-radius: 50%; background: var(--quiet); flex: none; }
.connection.live::before { background: var(--good); } .connection.offline { color: var(--bad); } .connection.offline::before { background: var(--bad); }
.faces { display: flex; } .faces li + li { margin-left: -.4rem; } .faces img, .people img, .said img, .face { border-radius: 50%; display: block; background: var(--code); } .faces img { box-shadow: 0 0 0 2px var(--pane); } .faces .more { margin-left: .25rem; color: var(--quiet); font-size: .8rem; align-self: center; }
.to-decide { width: 100%; margin-bottom: .75rem; background: var(--bad-ground); color: var(--bad); text-align: left; }
.add { position: relative; display: flex; align-items: center; margin: 0 0 .6rem; } .add > .icon { position: absolute; left: .85rem; color: var(--main); pointer-events: none; }
.home .add input { padding-left: 2.6rem; border-color: transparent; background: var(--side); border-radius: 10px; min-height: 2.9rem; } .home .add input:hover { border-color: var(--line); } .home .add input:focus { border-color: var(--main); background: var(--pane); outline: 0; box-shadow: 0 0 0 3px color-mix(in srgb, var(--main) 22%, transparent); }
.home .sidebar .add { margin: .25rem 0 0; } .home .sidebar .add input { background: transparent; min-height: 2.5rem; padding: .3rem .6rem .3rem 2.55rem; } .home .sidebar .add > .icon { left: .7rem; color: var(--quiet); } .home .sidebar .add input:focus { background: var(--pane); }
#add-folder { padding: .25rem .7rem; gap: .7rem; min-height: 2.5rem; font-size: 1rem; }
.scroller { position: relative; flex: 1; min-height: 0; overflow-y: auto; overflow-x: hidden; margin: 0 -1.25rem; padding: 0 1.25rem 5rem; overscroll-behavior: contain; scrollbar-width: thin; }
.scroller .group { font-size: .95rem; font-weight: 600; margin: 1.1rem 0 .35rem; padding-left: .6rem; } .scroller .group.late { color: var(--bad); }
.nothing { color: var(--quiet); text-align: center; padding: 4.5rem 1rem 3rem; } .nothing p { margin: .2rem 0; } .nothing .icon { width: 52px; height: 52px; stroke-width: .8; color: var(--main); opacity: .6; margin-bottom: .6rem; }
.show-done { margin: .9rem 0 .4rem; } .show-done[aria-expanded=false] .icon { transform: rotate(-90deg); } .show-done .icon { width: 16px; height: 16px; }

.toast { position: fixed; left: 50%; bottom: 1.5rem; transform: translateX(-50%); z-index: 50; display: flex; align-items: center; gap: 1rem; max-width: calc(100vw - 2rem); background: #23272f; color: #f4f5f7; border-radius: 12px; padding: .35rem .5rem .35rem 1.1rem; min-height: 3rem; box-shadow: var(--lift); }
.toast.bad { background: #7d1d18; padding-right: 1.1rem; } .toast button { background: transparent; border: 0; color: #a9c3ff; min-height: 2.75rem; padding: .3rem .9rem; } .toast button:hover { background: rgb(255 255 255 / .1); } .toast :focus-visible { outline-color: #a9c3ff; }
.batch { position: absolute; left: 50%; bottom: 1.25rem; transform: translateX(-50%); z-index: 20; display: flex; align-items: center; gap: .15rem; max-width: calc(100% - 1.5rem); background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: .4rem .5rem .4rem 1.1rem; box-shadow: var(--lift); white-space: nowrap; } .batch strong { margin-right: .6rem; font-variant-numeric: tabular-nums; } .batch .menu { top: auto; bottom: calc(100% + 10px); right: auto; left: 0; }
dialog { border: 0; padding: 0; border-radius: 16px; background: var(--card); color: var(--ink); width: min(34rem, calc(100vw - 2rem)); max-height: min(44rem, calc(100dvh - 2rem)); box-shadow: var(--lift); } dialog::backdrop { background: rgb(15 20 35 / .42); } #asked { width: min(27rem, calc(100vw - 2rem)); }
.dialog { padding: 1.1rem 1.35rem 1.35rem; } .dialog-head { display: flex; align-items: center; justify-content: space-between; gap: 1rem; margin-bottom: .8rem; } .dialog-head h2 { margin: 0; min-width: 0; } .dialog-head .icon-button { margin-right: -.5rem; }
#asked .actions { justify-content: flex-end; flex-direction: row; }
.choices button { display: flex; align-items: center; gap: .7rem; width: 100%; text-align: left; background: transparent; border: 0; color: var(--ink); font-weight: 450; border-radius: 9px; padding: .4rem .7rem; } .choices button:hover { background: var(--over); } .choices .icon { color: var(--quiet); } .choices [aria-pressed=true] { background: var(--soft); font-weight: 600; } .choices { margin-top: .6rem !important; }
.people { margin-top: .9rem !important; } .people li { display: flex; align-items: center; gap: .75rem; padding: .45rem 0; } .who-is { flex: 1; min-width: 0; display: grid; } .who-is .name { font-weight: 500; } .who-is bdi { overflow: hidden; text-overflow: ellipsis; }
.keys { margin: 0; columns: 2; column-gap: 2rem; } .keys div { display: flex; align-items: baseline; justify-content: space-between; gap: 1rem; padding: .3rem 0; break-inside: avoid; } .keys dt { order: 2; } .keys dd { margin: 0; } kbd { font: .8rem ui-monospace, monospace; background: var(--code); border: 1px solid var(--line); border-radius: 6px; padding: .1rem .4rem; white-space: nowrap; }
.decisions > li + li { border-top: 1px solid var(--line); margin-top: 1.1rem; padding-top: 1.1rem; } .decision h3 { margin: 0 0 .3rem; font-size: 1rem; } .sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: .75rem; margin: .6rem 0 .9rem; } .side-of { background: var(--code); border-radius: 10px; padding: .7rem .9rem; } .side-of h4 { margin: 0 0 .3rem; font-size: .85rem; color: var(--quiet); } .side-of dl { margin: 0; } .side-of dt { font-size: .8rem; color: var(--quiet); } .side-of dd { margin: 0 0 .3rem; white-space: pre-wrap; }

@media (max-width: 75rem) {
  .home:has(> .detail) { grid-template-columns: 16.5rem minmax(0, 1fr); } .home > .detail { position: fixed; top: 0; right: 0; bottom: 0; width: min(25rem, 100vw); z-index: 25; box-shadow: var(--lift); border-radius: 0; }
}
@media (max-width: 58rem) {
  .home, .home:has(> .detail) { grid-template-columns: minmax(0, 1fr); } .home > .detail { width: 100vw; }
  .sidebar { position: fixed; inset: 0 auto 0 0; z-index: 41; width: min(20rem, 86vw); background: var(--side); padding-top: 1rem; transform: translateX(-102%); visibility: hidden; transition: transform .2s ease, visibility .2s; box-shadow: var(--lift); } .sidebar.shown { transform: none; visibility: visible; }
  .shade { display: block; position: fixed; inset: 0; z-index: 40; background: rgb(15 20 35 / .42); }
  .home .sidebar a, .folder-name, #add-folder, .home .sidebar .add input { min-height: 2.75rem; } .folder-head .icon-button { opacity: 1; }
  .drawer-button { display: inline-grid; margin-left: -.6rem; } .main { border-radius: 0; padding: 0 .9rem; } .scroller { margin: 0 -.9rem; padding: 0 .5rem 5.5rem; } .head { min-height: 3.5rem; gap: .4rem; padding: 0; } .head h1 { font-size: 1.3rem; }
  .icon-button { width: 2.75rem; height: 2.75rem; } .quiet-button, .chip, .menu > button, button.small { min-height: 2.75rem; } .chip { display: inline-flex; align-items: center; }
  .wide-only { display: none; } .fixed .bar { min-height: 3rem; padding: 0 .6rem 0 .9rem; } .account-menu .who { display: none; } .fixed .account-menu > summary { padding: .4rem; } .fixed .account-menu nav a { padding: .75rem .8rem; }
  .batch { left: .5rem; right: .5rem; transform: none; max-width: none; padding-left: .9rem; justify-content: space-between; flex-wrap: wrap; white-space: normal; } .batch .menu { position: fixed; left: .5rem; bottom: 8rem; } .batch .quiet-button { padding: 0; min-width: 2.75rem; justify-content: center; } .batch .quiet-button:not(.menu .quiet-button) > span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); } .batch .menu-around .quiet-button { font-size: 0; gap: 0; } .batch strong { margin: 0; }
  .keys { columns: 1; } .faces { display: none; } .toast { bottom: 1rem; width: max-content; }
}
@media (min-width: 58.01rem) { .narrow-only { display: none; } }
@media (scripting: none) { .sidebar { position: static; transform: none; visibility: visible; width: auto; box-shadow: none; } @media (max-width: 58rem) { .home, .home:has(> .detail) { grid-template-rows: auto minmax(0, 1fr); } .sidebar { max-height: 30vh; } } }
@media (prefers-reduced-motion: reduce) { .sidebar, .folder-name .icon { transition: none; } }
@media (forced-colors: active) { .news, .connection::before { forced-color-adjust: none; } .home .sidebar a[aria-current] { outline: 2px solid; } }
`
