/** `XINHAN_TESTS=full` repeats attacks as often as they were when they were first seen to fail; every other run, enough to catch a fault. */
export const times = (full: number, everyRun: number): number => (process.env.XINHAN_TESTS === 'full' ? full : everyRun)
