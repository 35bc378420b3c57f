/** A sheet that was dropped on a page that reads none itself: it waits here for the page that does. */
let droppedFile: File | null = null
export const setDroppedFile = (file: File): void => {
  droppedFile = file
}
/** Takes it, once. */
export function takeDroppedFile(): File | null {
  const file = droppedFile
  droppedFile = null
  return file
}
