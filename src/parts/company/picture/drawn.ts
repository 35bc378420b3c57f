/** A picture of any size becomes a PNG of 96 × 96 in the browser, before it leaves it. */
export const avatarSize = 96
const tooLarge = 20 * 1024 * 1024

/** The square in the middle of a picture. */
export function middleOf(width: number, height: number): { x: number; y: number; side: number } {
  const side = Math.min(width, height)
  return { x: Math.floor((width - side) / 2), y: Math.floor((height - side) / 2), side }
}

/** The whole of a picture in the middle of a square: where it stands there, and how large. */
export function wholeIn(width: number, height: number, side: number): { x: number; y: number; width: number; height: number } {
  const scale = side / Math.max(width, height)
  const [wide, high] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))]
  return { x: Math.floor((side - wide) / 2), y: Math.floor((side - high) / 2), width: wide, height: high }
}

/** The middle square of a picture, for a face. Throws a sentence for the user when it is none that this browser can read. */
export const avatarOf = (file: Blob): Promise<File> =>
  drawn(file, 'avatar.png', (pen, picture) => {
    const { x, y, side } = middleOf(picture.width, picture.height)
    pen.drawImage(picture, x, y, side, side, 0, 0, avatarSize, avatarSize)
  })

/** All of a picture, nothing cut off, for a company's mark. */
export const markOf = (file: Blob): Promise<File> =>
  drawn(file, 'logo.png', (pen, picture) => {
    const { x, y, width, height } = wholeIn(picture.width, picture.height, avatarSize)
    pen.drawImage(picture, x, y, width, height)
  })

async function drawn(
  file: Blob,
  name: string,
  draw: (pen: CanvasRenderingContext2D, picture: ImageBitmap) => void,
): Promise<File> {
  if (file.size > tooLarge) throw new Error('图片太大，请选 20 MB 以内的图片')
  const picture = await createImageBitmap(file).catch(() => {
    throw new Error('这个文件不是浏览器能打开的图片，请换一张 JPG 或 PNG')
  })
  const canvas = document.createElement('canvas')
  canvas.width = avatarSize
  canvas.height = avatarSize
  const pen = canvas.getContext('2d')
  if (pen) {
    pen.imageSmoothingQuality = 'high'
    draw(pen, picture)
  }
  picture.close()
  const png = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'))
  if (!pen || !png) throw new Error('浏览器没能处理这张图片，请换一张')
  return new File([png], name, { type: 'image/png' })
}
