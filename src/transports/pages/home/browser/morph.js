// Makes what stands in the document look as new markup says, and touches nothing that looks so already: focus, what somebody
// is typing and where they have scrolled to stay. Elements with an id are the same wherever they move.

/** @param {Element} root its children become those of the markup
 *  @param {string} markup */
export function show(root, markup) {
  const template = document.createElement("template")
  template.innerHTML = markup
  const focused = document.activeElement
  morphChildren(root, template.content)
  // Browsers drop the focus of an element that is moved.
  if (focused instanceof HTMLElement && focused !== document.activeElement && focused.isConnected) focused.focus()
}

/** @param {Element} from @param {Element} to */
function morph(from, to) {
  const before = from.getAttribute("value")
  for (const { name, value } of to.attributes) if (from.getAttribute(name) !== value) from.setAttribute(name, value)
  for (const { name } of [...from.attributes]) if (!to.hasAttribute(name)) from.removeAttribute(name)
  if (from instanceof HTMLInputElement && from.type !== "file") {
    from.checked = to.hasAttribute("checked")
    // What is typed stays until the value itself is another one, and for as long as somebody types.
    if (before !== to.getAttribute("value") && from !== document.activeElement) from.value = from.defaultValue
  }
  if (!(from instanceof HTMLTextAreaElement)) morphChildren(from, to)
}

const idOf = (/** @type {Node} */ node) => (node instanceof Element && node.id !== "" ? node.id : undefined)

/** @param {Element} parent @param {Element | DocumentFragment} wanted */
function morphChildren(parent, wanted) {
  const byId = new Map([...parent.children].flatMap((child) => (child.id === "" ? [] : [[child.id, child]])))
  /** @type {ChildNode | null} */
  let at = parent.firstChild
  for (const node of [...wanted.childNodes]) {
    const id = idOf(node)
    const isSame = at !== null && idOf(at) === undefined && at.nodeName === node.nodeName
    const known = id !== undefined ? byId.get(id) : isSame ? at : undefined
    if (known == null || known.nodeName !== node.nodeName) {
      parent.insertBefore(node, at)
      continue
    }
    if (known === at) at = at.nextSibling
    else parent.insertBefore(known, at)
    if (known instanceof Element && node instanceof Element) morph(known, node)
    else if (known.nodeValue !== node.nodeValue) known.nodeValue = node.nodeValue
  }
  while (at !== null) {
    const next = at.nextSibling
    at.remove()
    at = next
  }
}
