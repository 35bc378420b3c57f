/** What the browser stores for the app and may forbid. Small, because the sign-in page loads it before anything else. */

/** The local storage key of one half of the session token (calls.md §1). */
export const tokenStorageKey = 'user-token'
/** The half of the token in memory. If storage is forbidden, it lasts only for this page. */
let memoryToken: string | null = null
export const session = {
  get token(): string | null {
    try {
      return localStorage.getItem(tokenStorageKey) ?? memoryToken
    } catch {
      return memoryToken
    }
  },
  /** Returns false if the browser forbids local storage: the next page would not have the session. */
  setToken(token: string): boolean {
    memoryToken = token
    signOutNotice.clear()
    try {
      localStorage.setItem(tokenStorageKey, token)
      return true
    } catch {
      return false
    }
  },
  clearToken() {
    memoryToken = null
    try {
      localStorage.removeItem(tokenStorageKey)
    } catch {
      // Without storage there is nothing to remove.
    }
  },
}

const signOutReasonKey = 'signed-out'
/** The reason for a sign-out, for the sign-in page: it is stored for this tab until the next sign-in. */
export const signOutNotice = {
  save(reason: string) {
    try {
      sessionStorage.setItem(signOutReasonKey, reason)
    } catch {
      // Without storage the sign-in page does not repeat the reason.
    }
  },
  get reason(): string | null {
    try {
      return sessionStorage.getItem(signOutReasonKey)
    } catch {
      return null
    }
  },
  clear() {
    try {
      sessionStorage.removeItem(signOutReasonKey)
    } catch {
      // Without storage there is nothing to remove.
    }
  },
}
/** The notice after the user signed out deliberately: a chat client then does not sign them in again at once. */
export const signedOutMessage = '您已退出登录'

export const storageBlockedMessage = '浏览器禁止了本地存储，无法保持登录。请在浏览器设置中允许本站存储数据，然后重新登录。'
export const cookiesBlockedMessage = '浏览器禁止了 Cookie，无法保持登录。请在浏览器设置中允许本站使用 Cookie，然后重新登录。'
export const networkErrorMessage = '网络错误，请刷新后重试…'
export const timeoutMessage = '请求超时，请刷新后重试…'

const probeKey = 'probe'
/**
 * Returns why signing in cannot work in this browser, before the user types a password in vain. Storage is tested by
 * using it, because what browsers report about themselves is unreliable.
 */
export function getStorageProblem(): string | null {
  try {
    localStorage.setItem(probeKey, probeKey)
    localStorage.removeItem(probeKey)
  } catch {
    return storageBlockedMessage
  }
  try {
    document.cookie = `${probeKey}=1; path=/; SameSite=Strict`
    const isStored = document.cookie.includes(`${probeKey}=1`)
    document.cookie = `${probeKey}=; path=/; SameSite=Strict; max-age=0`
    return isStored ? null : cookiesBlockedMessage
  } catch {
    return cookiesBlockedMessage
  }
}
