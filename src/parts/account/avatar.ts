/** A picture of any size becomes 96 × 96 in the browser, before it leaves it: the middle square, as PNG. */
export const avatarSize = 96
const tooLarge = 20 * 1024 * 1024

/** The square in the middle of a picture. */
export function middleOf(width: number, height: number): { x: number; y: number; side: number } {
  const side = Math.min(width, height)
  return { x: Math.floor((width - side) / 2), y: Math.floor((height - side) / 2), side }
}

/** Throws a sentence for the user when it is no picture that this browser can read. */
export async function avatarOf(file: Blob): Promise<File> {
  if (file.size > tooLarge) throw new Error('图片太大，请选 20 MB 以内的图片')
  const picture = await createImageBitmap(file).catch(() => {
    throw new Error('这个文件不是浏览器能打开的图片，请换一张 JPG 或 PNG')
  })
  const canvas = document.createElement('canvas')
  canvas.width = avatarSize
  canvas.height = avatarSize
  const pen = canvas.getContext('2d')
  const { x, y, side } = middleOf(picture.width, picture.height)
  if (pen) pen.imageSmoothingQuality = 'high'
  pen?.drawImage(picture, x, y, side, side, 0, 0, avatarSize, avatarSize)
  picture.close()
  const png = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'))
  if (!pen || !png) throw new Error('浏览器没能处理这张图片，请换一张')
  return new File([png], 'avatar.png', { type: 'image/png' })
}
