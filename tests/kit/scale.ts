/** The older names of what `trial.ts` says. */
import { isWhole, some } from './trial.ts'

export { some }
export const isFull = isWhole
export const times = (all: number, everyRun: number): number => (isWhole ? all : everyRun)
