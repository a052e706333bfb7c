/** An element with properties, data attributes and children. Text is never read as HTML. */
export function create<name extends keyof HTMLElementTagNameMap>(
  name: name,
  properties: Partial<HTMLElementTagNameMap[name]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[name] {
  const element = document.createElement(name)
  Object.assign(element, properties)
  element.append(...children)
  return element
}

/** The first element that matches. @throws Error when there is none */
// The caller names the element that the page has at a selector.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function find<element extends HTMLElement>(
  selector: string,
  inside: ParentNode = document,
): element {
  const found = inside.querySelector<element>(selector)
  if (!found) throw new Error(`the page has no ${selector}`)
  return found
}

/** Runs a function for each element that matches. */
export function each(selector: string, run: (element: HTMLElement) => void): void {
  for (const element of document.querySelectorAll<HTMLElement>(selector)) run(element)
}

/** HTML of the gateway as nodes. Scripts in it do not run. */
export function parsed(text: string): ChildNode[] {
  return [...new DOMParser().parseFromString(text, 'text/html').body.childNodes]
}
