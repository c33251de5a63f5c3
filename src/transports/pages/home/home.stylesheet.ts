/** What the home page looks like, beside what all pages look like. */
export const HOME_STYLESHEET = `
.app .bar, .app nav[aria-label=Account] ul, .app main, .app footer { max-width: 78rem; }
.app main { padding-top: 1.5rem; }
.icon { flex: none; fill: none; stroke: currentColor; stroke-width: 1.7; stroke-linecap: round; stroke-linejoin: round; }
.small { min-height: 2.25rem; padding: .3rem .8rem; font-size: .9rem; }
span.small, p.small { min-height: 0; padding: 0; }
.button.plain { background: transparent; color: var(--ink); border: 1px solid var(--field); } .button.plain:hover { background: var(--code); color: var(--ink); }
.quiet-button { background: transparent; color: var(--quiet); border: 0; font-weight: 500; font-size: .9rem; min-height: 2rem; padding: .2rem .5rem; border-radius: 6px; text-decoration: none; cursor: pointer; }
.quiet-button:hover, .quiet-button[aria-expanded=true] { background: var(--code); color: var(--ink); } .quiet-button.bad { color: var(--bad); }

.home { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 1.75rem; align-items: start; }
.home:has(.opened-task) { grid-template-columns: 15rem minmax(0, 1fr) 23rem; }
.home ul, .home ol { list-style: none; margin: 0; padding: 0; }
.home h1 { margin: 0; }
noscript .notice { margin-bottom: 1.25rem; }
.home .line { display: flex; gap: .5rem; align-items: center; } .home .line input { flex: 1; min-width: 0; }

.lists { position: sticky; top: 1rem; } #all-lists { display: block; } .lists ul { max-width: none; }
.lists a { display: flex; align-items: center; gap: .6rem; padding: .5rem .65rem; border-radius: 8px; border: 0; color: var(--ink); text-decoration: none; }
.lists a:hover { background: var(--code); }
.lists a[aria-current] { background: var(--card); box-shadow: inset 0 0 0 1px var(--line); font-weight: 600; }
.lists .icon { color: var(--quiet); } .lists a[aria-current] .icon { color: var(--main); }
.lists .name { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.lists .count { color: var(--quiet); font-size: .85rem; font-variant-numeric: tabular-nums; font-weight: 400; }
.lists .news { width: .55rem; height: .55rem; border-radius: 50%; background: var(--main); flex: none; }
#invitations { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .9rem; margin-bottom: 1rem; }
#invitations h2 { font-size: .95rem; margin-bottom: .5rem; } #invitations .name { font-weight: 600; margin-bottom: .5rem; } #invitations li + li { margin-top: .9rem; }

.add { position: relative; display: flex; align-items: center; }
.add .icon { position: absolute; left: .7rem; color: var(--main); pointer-events: none; }
.home .add input { padding-left: 2.4rem; }
.lists .add { margin-top: .5rem; } .home .lists .add input { border-color: transparent; background: transparent; min-height: 2.5rem; padding-top: .35rem; padding-bottom: .35rem; }
.home .lists .add input:hover, .home .lists .add input:focus { background: var(--card); border-color: var(--field); }
.lists .add .icon { left: .65rem; } .home .lists .add input::placeholder { color: var(--quiet); opacity: 1; }
.home input::placeholder, .home textarea::placeholder { color: var(--quiet); opacity: 1; }

.tasks .head { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem .9rem; margin-bottom: 1rem; min-height: 2.4rem; }
.tools { display: flex; align-items: center; flex-wrap: wrap; gap: .15rem; margin-left: auto; }
.connection { font-size: .8rem; color: var(--quiet); display: inline-flex; align-items: center; gap: .4rem; }
.connection::before { content: ""; width: .5rem; height: .5rem; border-radius: 50%; background: var(--quiet); }
.connection.live::before { background: var(--good); } .connection.offline { color: var(--bad); } .connection.offline::before { background: var(--bad); }
.faces { display: flex; margin-right: .5rem !important; } .faces li + li { margin-left: -.45rem; }
.faces img, .people img, .said img { border-radius: 50%; display: block; width: 30px; height: 30px; background: var(--code); } .faces img { box-shadow: 0 0 0 2px var(--ground); }
.asking { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem; margin-bottom: 1rem; }
.asking h2 { font-size: 1rem; margin-bottom: .6rem; } .people li { display: flex; align-items: center; gap: .7rem; padding: .3rem 0; } .people .name { flex: 1; min-width: 0; } .home .people { margin-bottom: .8rem; }

.rows-of-tasks { margin-top: .75rem !important; }
.task { display: flex; align-items: center; gap: .35rem; background: var(--card); border: 1px solid var(--line); border-radius: 9px; padding: 0 .4rem 0 .3rem; margin-bottom: .35rem; min-height: 3rem; position: relative; }
.task.opened { border-color: var(--main); box-shadow: inset 0 0 0 1px var(--main); }
.task.waiting { opacity: .6; }
.task .title { flex: 1; min-width: 0; color: var(--ink); text-decoration: none; padding: .6rem .4rem; align-self: stretch; display: flex; align-items: center; }
.task .title:hover { color: var(--main); }
.task.completed .title { color: var(--quiet); text-decoration: line-through; }
.task input[type=checkbox] { width: 1.25rem; height: 1.25rem; min-height: 0; flex: none; accent-color: var(--main); margin: 0 .3rem; cursor: pointer; }
.task .mark { width: 1.25rem; height: 1.25rem; flex: none; margin: 0 .3rem 0 .6rem; border: 1.5px solid var(--field); border-radius: 4px; display: grid; place-items: center; color: var(--good); }
.task.completed input { margin-left: 2.4rem; }
.task .due { padding-right: .4rem; font-size: .85rem; color: var(--quiet); white-space: nowrap; } .task .due.now { color: var(--main); font-weight: 600; } .task .due.late { color: var(--bad); font-weight: 600; }
.grip, .star { background: transparent; border: 0; color: var(--quiet); padding: 0; min-height: 2.5rem; width: 1.75rem; display: grid; place-items: center; flex: none; }
.grip { cursor: grab; touch-action: none; opacity: .55; } .grip .icon { stroke-width: 2.6; pointer-events: none; } .task:hover .grip, .grip:focus-visible { opacity: 1; }
.star { width: 2.2rem; } .star:hover { color: var(--ink); } .star[aria-pressed=true], .star.on { color: var(--star); } .star[aria-pressed=true] .icon, .star.on .icon { fill: currentColor; }
.dragging .task { transition: transform .15s ease; user-select: none; } .dragging .task.dragged { transition: none; z-index: 2; box-shadow: 0 8px 24px rgb(20 25 40 / .22); cursor: grabbing; }
.dragging .grip { cursor: grabbing; }
.nothing { color: var(--quiet); text-align: center; padding: 2.5rem 1rem; margin: .75rem 0 0; border: 1px dashed var(--line); border-radius: 10px; }
.show-done { margin: 1rem 0 0; }
:root { --star: #8a5a00; } @media (prefers-color-scheme: dark) { :root { --star: #f2c14e; } }

.opened-task { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.1rem 1.25rem 1.25rem; box-shadow: var(--shadow); position: sticky; top: 1rem; max-height: calc(100vh - 2rem); overflow-y: auto; }
.opened-task .head { display: flex; justify-content: space-between; align-items: center; margin-bottom: .75rem; } .opened-task h2 { margin: 0; font-size: 1.05rem; }
.opened-task h3 { font-size: .95rem; margin: 1.25rem 0 .5rem; } .opened-task .field { margin-bottom: .8rem; }
.opened-task .foot { margin: 1.25rem 0 .5rem; } .opened-task .asking { display: flex; margin: 0; }
.close { display: grid; place-items: center; width: 2.25rem; height: 2.25rem; border-radius: 8px; color: var(--quiet); margin-right: -.5rem; } .close:hover { background: var(--code); color: var(--ink); }
.attached li, .said li { display: flex; gap: .7rem; align-items: flex-start; padding: .4rem 0; } .attached .what, .said .what { flex: 1; min-width: 0; display: grid; }
.said .text { white-space: pre-wrap; margin: 0; } .thumbnail { width: 3.2rem; height: 3.2rem; object-fit: cover; border-radius: 6px; background: var(--code); }
.attach { margin-top: .4rem; } .attach .button { display: inline-flex; align-items: center; gap: .4rem; } .attach input:focus-visible + label { outline: 3px solid var(--main); outline-offset: 2px; }
progress { width: 100%; accent-color: var(--main); height: .5rem; }
#add-comment { display: grid; gap: .5rem; justify-items: end; margin-top: .4rem; } #add-comment textarea { font-family: inherit; font-size: 1rem; }
.warning { position: fixed; left: 50%; bottom: 1.25rem; transform: translateX(-50%); width: max-content; max-width: calc(100vw - 2rem); margin: 0; z-index: 5; box-shadow: 0 8px 24px rgb(20 25 40 / .2); } .warning:empty { display: none; }

.hero { text-align: center; padding: 3rem 0 2.5rem; } .hero h1 { font-size: clamp(1.8rem, 5vw, 2.7rem); max-width: 24ch; margin: 0 auto 1rem; letter-spacing: -.02em; text-wrap: balance; }
.lead { font-size: 1.15rem; color: var(--quiet); max-width: 42rem; margin: 0 auto 1.75rem; text-wrap: balance; } .hero .actions { justify-content: center; } .hero .button { min-width: 8rem; }
.running { display: inline-flex; gap: .8rem; align-items: center; margin: 1.75rem 0 0; font-size: .9rem; } .health { display: inline-flex; align-items: center; gap: .45rem; }
.health::before { content: ""; width: .6rem; height: .6rem; border-radius: 50%; background: var(--good); } .health.ill { color: var(--bad); } .health.ill::before { background: var(--bad); }
.ways { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 1.25rem; margin-bottom: 1.25rem; } .way { color: var(--ink); text-decoration: none; margin: 0; } .way h2 { color: var(--main); margin-bottom: .4rem; }
.way p { color: var(--quiet); } .way:hover { color: var(--ink); border-color: var(--main); } .after-pre { margin-top: 1rem; }

@media (max-width: 70rem) {
  .home:has(.opened-task) { grid-template-columns: 13rem minmax(0, 1fr) 20rem; gap: 1.1rem; }
}
@media (max-width: 58rem) {
  .home, .home:has(.opened-task) { grid-template-columns: minmax(0, 1fr); gap: 1rem; }
  .lists { position: static; } #all-lists { position: relative; display: flex; flex-wrap: nowrap; gap: .4rem; overflow-x: auto; padding: 2px; scrollbar-width: thin; } #all-lists li { flex: none; max-width: 14rem; } .lists a { background: var(--card); border: 1px solid var(--line); padding: .35rem .7rem; min-height: 2.5rem; } .lists a[aria-current] { box-shadow: inset 0 0 0 1px var(--main); border-color: var(--main); }
  .opened-task { position: fixed; inset: 0; max-height: none; border-radius: 0; border: 0; z-index: 4; padding: 1rem 1rem 2rem; }
  .hero { padding: 1.5rem 0 1.75rem; }
}
@media (prefers-reduced-motion: reduce) { .dragging .task { transition: none; } }
@media (forced-colors: active) { .news, .connection::before, .health::before { forced-color-adjust: none; } .task.opened { outline: 2px solid; } }
`
