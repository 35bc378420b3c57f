/** Converts a picture of any size in the browser to a PNG of 96 × 96 before upload. */
export const avatarSize = 96
const maxFileBytes = 20 * 1024 * 1024

/** Returns the largest centered square of a picture. */
export function getCenterSquare(width: number, height: number): { x: number; y: number; side: number } {
  const side = Math.min(width, height)
  return { x: Math.floor((width - side) / 2), y: Math.floor((height - side) / 2), side }
}

/** Returns position and size of a whole picture centered in a square. */
export function fitInSquare(
  width: number,
  height: number,
  side: number,
): { x: number; y: number; width: number; height: number } {
  const scale = side / Math.max(width, height)
  const [scaledWidth, scaledHeight] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))]
  return {
    x: Math.floor((side - scaledWidth) / 2),
    y: Math.floor((side - scaledHeight) / 2),
    width: scaledWidth,
    height: scaledHeight,
  }
}

/** Renders a picture's center square as an avatar. Throws an error with a message for the user if it cannot be read. */
export const renderAvatar = (file: Blob): Promise<File> =>
  renderPng(file, 'avatar.png', (context, bitmap) => {
    const { x, y, side } = getCenterSquare(bitmap.width, bitmap.height)
    context.drawImage(bitmap, x, y, side, side, 0, 0, avatarSize, avatarSize)
  })

/** Renders the whole picture, uncropped, as a company logo. */
export const renderLogo = (file: Blob): Promise<File> =>
  renderPng(file, 'logo.png', (context, bitmap) => {
    const { x, y, width, height } = fitInSquare(bitmap.width, bitmap.height, avatarSize)
    context.drawImage(bitmap, x, y, width, height)
  })

async function renderPng(
  file: Blob,
  name: string,
  draw: (pen: CanvasRenderingContext2D, picture: ImageBitmap) => void,
): Promise<File> {
  if (file.size > maxFileBytes) throw new Error('图片太大，请选 20 MB 以内的图片')
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new Error('这个文件不是浏览器能打开的图片，请换一张 JPG 或 PNG')
  })
  const canvas = document.createElement('canvas')
  canvas.width = avatarSize
  canvas.height = avatarSize
  const context = canvas.getContext('2d')
  if (context) {
    context.imageSmoothingQuality = 'high'
    draw(context, bitmap)
  }
  bitmap.close()
  const png = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (!context || !png) throw new Error('浏览器没能处理这张图片，请换一张')
  return new File([png], name, { type: 'image/png' })
}
