/** What of an error may leave the browser, and how often. */
const perMinute = 5

/** At most five a minute and page; the sixth is not sent. */
export function reportLimit(): (page: string, now: number) => boolean {
  const sent = new Map<string, number[]>()
  return (page, now) => {
    const recent = (sent.get(page) ?? []).filter((at) => now - at < 60_000)
    if (recent.length >= perMinute) return false
    sent.set(page, [...recent, now])
    return true
  }
}

const ids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi

/** The page without what it shows: no query string, no id. */
export const pageOfReport = (pathname: string): string => (pathname.split(/[?#]/)[0] ?? '').replace(ids, ':id').slice(0, 300)

/**
 * An error's words without what a slip could have put into them: amounts, phones and other long numbers, quoted values, and what stands
 * behind a question mark. Line and column numbers stay.
 */
export const withoutValues = (text: string): string =>
  text
    .replace(ids, ':id')
    .replace(/\?[^\s:)]*/g, '?…')
    .replace(/[¥￥−+-]?\d[\d,]*\.\d+/g, '#')
    .replace(/\d{5,}/g, '#')
    .replace(/["“'‘「`]([^"”'’」`\n]{1,200})["”'’」`]/g, (whole, inside: string) => (/^[\w.$/-]+$/.test(inside) ? whole : '“…”'))
