/** A wage sheet dropped on a page that does not read one: it is stored here for the page that does. */
let droppedFile: File | null = null
export const setDroppedFile = (file: File): void => {
  droppedFile = file
}
/** Returns the dropped file once. */
export function takeDroppedFile(): File | null {
  const file = droppedFile
  droppedFile = null
  return file
}
