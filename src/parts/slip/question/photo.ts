/** A photo or a picture of a screen becomes a PNG of a modest size in the browser, before it leaves it: no places, no names of files go along. */
const candidateSides = [1600, 1280, 960, 720, 540]
const maxPngBytes = 1_500_000
const maxFileBytes = 20 * 1024 * 1024

/** As large as it may be so that its longer side is `side`; never larger than it is. */
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

/** Throws a sentence for the user when it is none that this browser can read. */
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
