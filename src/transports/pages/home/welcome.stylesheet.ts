/** What the page looks like that visitors see who are not signed in, beside what all pages look like. */
export const WELCOME_STYLESHEET = `
.app .bar, .app main, .app footer { max-width: 78rem; }
.button.plain { background: transparent; color: var(--ink); border: 1px solid var(--field); } .button.plain:hover { background: var(--code); color: var(--ink); }
.hero { text-align: center; padding: 3rem 0 2.5rem; } .hero h1 { font-size: clamp(1.8rem, 5vw, 2.7rem); max-width: 24ch; margin: 0 auto 1rem; letter-spacing: -.02em; text-wrap: balance; }
.lead { font-size: 1.15rem; color: var(--quiet); max-width: 42rem; margin: 0 auto 1.75rem; text-wrap: balance; } .hero .actions { justify-content: center; } .hero .button { min-width: 8rem; }
.running { display: inline-flex; gap: .8rem; align-items: center; margin: 1.75rem 0 0; font-size: .9rem; } .health { display: inline-flex; align-items: center; gap: .45rem; }
.health::before { content: ""; width: .6rem; height: .6rem; border-radius: 50%; background: var(--good); } .health.ill { color: var(--bad); } .health.ill::before { background: var(--bad); }
.ways { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 1.25rem; margin-bottom: 1.25rem; } .way { color: var(--ink); text-decoration: none; margin: 0; } .way h2 { color: var(--main); margin-bottom: .4rem; }
.way p { color: var(--quiet); } .way:hover { color: var(--ink); border-color: var(--main); } .after-pre { margin-top: 1rem; }
@media (max-width: 58rem) { .hero { padding: 1.5rem 0 1.75rem; } }
@media (forced-colors: active) { .health::before { forced-color-adjust: none; } }
`
