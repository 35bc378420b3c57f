/** Returns the path of a page below /m from its file name, as the router's generator does: `slip.$id.tsx` is /slip/$id. */
export const getMobilePath = (file: string): string => {
  const name = file.slice(file.lastIndexOf('/') + 1).replace(/\.tsx$/, '')
  return name === 'index' ? '/' : `/${name.replaceAll('.', '/')}`
}
