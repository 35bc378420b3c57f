/** Returns the path of a page below /m from its file name, as the router's generator does: `slip.$id.tsx` is /slip/$id. */
export const getMobilePath = (file: string): string => {
  const name = file.replace(/^.*\/|\.tsx$/g, '')
  return name === 'index' ? '/' : `/${name.replaceAll('.', '/')}`
}
