/**
 * Polyfills for functions that are used here but missing in the minimum browsers (`build/browser-targets.ts`), in the
 * form that newer browsers have built in. Installed before the routed app renders. tests/e2e/system/floor.test.ts checks the
 * built files for functions that neither the polyfills nor the minimum browsers provide.
 */
type Item = unknown
type Predicate = (value: Item, index: number, list: ArrayLike<Item>) => Item

/** Searches from the end: returns the index of the last match, or -1. */
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

/** Not enumerable, like built-in functions. */
function definePolyfills(target: object, functions: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(functions))
    if (!(name in target)) Object.defineProperty(target, name, { value, configurable: true, writable: true })
}
export function installPolyfills(): void {
  definePolyfills(Array.prototype, arrayPolyfills)
  definePolyfills(String.prototype, { at })
  definePolyfills(Object, { hasOwn: (home: object, name: PropertyKey) => Object.prototype.hasOwnProperty.call(home, name) })
}
