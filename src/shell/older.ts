/**
 * What the floor (`build/floor.ts`) lacks and somebody here uses, in the form that the newer ones have built in. Lent before the routed
 * app draws anything. tests/e2e/floor.test.ts finds in the built files whatever is neither here nor in the floor.
 */
type Any = unknown
type Test = (value: Any, index: number, list: ArrayLike<Any>) => Any

/** From the end: the index of the last one that passes, or -1. */
function lastIndex(list: ArrayLike<Any>, test: Test): number {
  let at = list.length - 1
  while (at >= 0 && !test(list[at], at, list)) at -= 1
  return at
}

function at(this: ArrayLike<Any>, index: number) {
  const whole = Math.trunc(index) || 0
  return this[whole < 0 ? this.length + whole : whole]
}

const ofLists = {
  at,
  findLast(this: ArrayLike<Any>, test: Test) {
    return this[lastIndex(this, test)]
  },
  findLastIndex(this: ArrayLike<Any>, test: Test) {
    return lastIndex(this, test)
  },
  toReversed(this: Any[]) {
    return this.map((_, place) => this[this.length - 1 - place])
  },
  toSorted(this: Any[], order?: (a: Any, b: Any) => number) {
    return this.slice().sort(order)
  },
  toSpliced(this: Any[], ...given: [number, number, ...Any[]]) {
    const copy = this.slice()
    copy.splice(...given)
    return copy
  },
}

/** Not enumerable, as what a browser brings. */
function lend(home: object, functions: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(functions))
    if (!(name in home)) Object.defineProperty(home, name, { value, configurable: true, writable: true })
}
export function lendOlder(): void {
  lend(Array.prototype, ofLists)
  lend(String.prototype, { at })
  lend(Object, { hasOwn: (home: object, name: PropertyKey) => Object.prototype.hasOwnProperty.call(home, name) })
}
