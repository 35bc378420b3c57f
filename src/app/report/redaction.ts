/** Which parts of an error may leave the browser, and how often. */
const maxReportsPerMinute = 5

/** Creates a limiter of at most five reports per minute and page; the sixth is not sent. */
export function createReportLimiter(): (page: string, now: number) => boolean {
  const sentByPage = new Map<string, number[]>()
  return (page, now) => {
    const recent = (sentByPage.get(page) ?? []).filter((at) => now - at < 60_000)
    if (recent.length >= maxReportsPerMinute) return false
    sentByPage.set(page, [...recent, now])
    return true
  }
}

const uuidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi

export const redactPath = (pathname: string): string =>
  (pathname.split(/[?#]/)[0] ?? '').replace(uuidPattern, ':id').slice(0, 300)

/**
 * Removes possible payslip data from an error message: amounts, phones and other long numbers, quoted values, and
 * everything after a question mark. Line and column numbers stay.
 */
export const redactValues = (text: string): string =>
  text
    .replace(uuidPattern, ':id')
    .replace(/\?[^\s:)]*/g, '?…')
    .replace(/[¥￥−+-]?\d[\d,]*\.\d+/g, '#')
    .replace(/\d{5,}/g, '#')
    .replace(/["“'‘「`]([^"”'’」`\n]{1,200})["”'’」`]/g, (match, inside: string) => (/^[\w.$/-]+$/.test(inside) ? match : '“…”'))
