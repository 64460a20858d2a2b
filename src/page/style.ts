/** The look of pages and of the playground's results: follows the reader's light or dark, and needs no font from afar. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --text: #1b1f24; --soft: #57606a; --ground: #ffffff; --raised: #f6f8fa; --line: #8c959f;
  --accent: #0550ae; --good: #1a6334; --attention: #9a3412; --off: #57606a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e6edf3; --soft: #9da7b3; --ground: #0d1117; --raised: #161b22; --line: #6e7681;
    --accent: #79c0ff; --good: #7ee2a0; --attention: #ffb27a; --off: #9da7b3;
  }
}
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif }
main { padding: 1rem 1.5rem }
h1 { font-size: 1.5rem; overflow-wrap: anywhere }
h2 { font-size: 1.2rem; margin: 1.5rem 0 .5rem }
h3 { margin: 0 0 .5rem; overflow-wrap: anywhere }
h4 { margin: .75rem 0 .25rem }
li, td:last-child { overflow-wrap: anywhere }
a { color: var(--accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.hint { color: var(--soft) }
.picture { overflow: auto; border: 1px solid var(--line); border-radius: 8px; padding: .5rem }
.picture > svg { display: block; max-width: 100%; min-width: 60rem; height: auto }
.column { fill: var(--soft); font: 600 13px system-ui, sans-serif }
.edge { fill: none; stroke: var(--line); stroke-width: 1.5; opacity: .7 }
.edge.lit { stroke: var(--accent); stroke-width: 2.5; opacity: 1 }
.node rect { fill: var(--raised); stroke: var(--line); stroke-width: 1.5 }
.node text { fill: var(--text); unicode-bidi: isolate }
.node .kind { fill: var(--soft); font: 12px system-ui, sans-serif }
.node .name { font: 13px ui-monospace, monospace }
.node:hover rect, .node:focus rect { stroke: var(--accent); stroke-width: 3 }
.node:focus { outline: none }
.node.tone-good rect { stroke: var(--good) }
.node.tone-attention rect { stroke: var(--attention); stroke-width: 2.5 }
.node.tone-off rect { stroke-dasharray: 5 4 }
.node.tone-attention .kind { fill: var(--attention) }
.details { display: none; margin: 1rem 0; padding: 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--raised) }
.details:target, .details.chosen { display: block }
.state { font-size: .8rem; font-weight: 400; border: 1px solid currentcolor; border-radius: 1em; padding: .1em .6em }
.state.tone-good { color: var(--good) }
.state.tone-attention { color: var(--attention) }
.state.tone-off { color: var(--off) }
.warnings { border-left: 4px solid var(--attention); padding-left: 1rem }
pre { margin: 0 0 .5rem; padding: .75rem; max-height: 32rem; overflow: auto; background: var(--ground); border: 1px solid var(--line); border-radius: 6px; font: 13px/1.45 ui-monospace, monospace; tab-size: 2 }
summary { cursor: pointer }
table { border-collapse: collapse }
th, td { text-align: left; vertical-align: top; border: 1px solid var(--line); padding: .3rem .6rem }
@media print { .details { display: block } pre { max-height: none } }
`;
