/**
 * What the floor (`build/browser-targets.ts`) lacks and somebody here uses, in the form that the newer ones have built in. Lent before the routed
 * app draws anything. tests/e2e/floor.test.ts finds in the built files whatever is neither here nor in the floor.
 */
type Item = unknown
type Predicate = (value: Item, index: number, list: ArrayLike<Item>) => Item

/** From the end: the index of the last one that passes, or -1. */
function findLastIndex(list: ArrayLike<Item>, test: Predicate): number {
  let at = list.length - 1
  while (at >= 0 && !test(list[at], at, list)) at -= 1
  return at
}

function at(this: ArrayLike<Item>, index: number) {
  const offset = Math.trunc(index) || 0
  return this[offset < 0 ? this.length + offset : offset]
}

const arrayPolyfills = {
  at,
  findLast(this: ArrayLike<Item>, test: Predicate) {
    return this[findLastIndex(this, test)]
  },
  findLastIndex(this: ArrayLike<Item>, test: Predicate) {
    return findLastIndex(this, test)
  },
  toReversed(this: Item[]) {
    return this.map((_, position) => this[this.length - 1 - position])
  },
  toSorted(this: Item[], order?: (a: Item, b: Item) => number) {
    return this.slice().sort(order)
  },
  toSpliced(this: Item[], ...provided: [number, number, ...Item[]]) {
    const copy = this.slice()
    copy.splice(...provided)
    return copy
  },
}

/** Not enumerable, as what a browser brings. */
function definePolyfills(target: object, functions: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(functions))
    if (!(name in target)) Object.defineProperty(target, name, { value, configurable: true, writable: true })
}
export function installPolyfills(): void {
  definePolyfills(Array.prototype, arrayPolyfills)
  definePolyfills(String.prototype, { at })
  definePolyfills(Object, { hasOwn: (home: object, name: PropertyKey) => Object.prototype.hasOwnProperty.call(home, name) })
}
