/** The number of rows on a page of a list: the user's last choice on this device, for every list. */
const storageKey = 'list.rows'
export const pageSizes = [10, 20, 50, 100]
const defaultPageSize = 20

export function getPageSize(): number {
  try {
    const stored = Number(localStorage.getItem(storageKey))
    return pageSizes.includes(stored) ? stored : defaultPageSize
  } catch {
    return defaultPageSize
  }
}

export function savePageSize(rows: number): void {
  try {
    localStorage.setItem(storageKey, String(rows))
  } catch {
    // Without storage the choice lasts for this address.
  }
}
