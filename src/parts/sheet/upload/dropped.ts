/** A sheet that was dropped on a page that reads none itself: it waits here for the page that does. */
let waiting: File | null = null
export const drop = (file: File): void => {
  waiting = file
}
/** Takes it, once. */
export function taken(): File | null {
  const file = waiting
  waiting = null
  return file
}
