/** Converts a photo in the browser to a PNG of moderate size before upload: no location data or file names are sent. */
const candidateSides = [1600, 1280, 960, 720, 540]
const maxPngBytes = 1_500_000
const maxFileBytes = 20 * 1024 * 1024

/** Returns the largest size whose longer side is at most `side`; never enlarges. */
export function fitWithin(width: number, height: number, side: number): { width: number; height: number } {
  const scale = Math.min(1, side / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

async function renderPng(bitmap: ImageBitmap, side: number): Promise<Blob | null> {
  const canvas = document.createElement('canvas')
  Object.assign(canvas, fitWithin(bitmap.width, bitmap.height, side))
  const context = canvas.getContext('2d')
  if (!context) return null
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
}

/** Throws an error with a message for the user if this browser cannot read the file. */
export async function createPhoto(file: Blob): Promise<File> {
  if (file.size > maxFileBytes) throw new Error('图片太大，请选 20 MB 以内的图片')
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new Error('这个文件不是浏览器能打开的图片，请换一张 JPG 或 PNG')
  })
  try {
    for (const side of candidateSides) {
      const png = await renderPng(bitmap, side)
      if (png && (png.size <= maxPngBytes || side === candidateSides.at(-1)))
        return new File([png], '图片.png', { type: 'image/png' })
    }
  } finally {
    bitmap.close()
  }
  throw new Error('浏览器没能处理这张图片，请换一张')
}
