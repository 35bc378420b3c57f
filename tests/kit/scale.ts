/** `XINHAN_TESTS=full` does everything as often, and looks at it from as many sides, as it was when it was built; every other run, enough to catch a fault. */
export const isFull = process.env.XINHAN_TESTS === 'full'

export const times = (all: number, everyRun: number): number => (isFull ? all : everyRun)
/** The first few of them, or all. */
export const some = <T>(all: readonly T[], everyRun: number): readonly T[] => (isFull ? all : all.slice(0, everyRun))
