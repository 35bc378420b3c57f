/** What the browser keeps for us, and what it may forbid. Small: the sign-in page has it before anything else. */

/** Where the half of the session lies that local storage keeps (calls.md §1). */
export const tokenStorageKey = 'user-token'
/** That half. Storage may be forbidden: then it lasts for this page. */
let memoryToken: string | null = null
export const session = {
  get token(): string | null {
    try {
      return localStorage.getItem(tokenStorageKey) ?? memoryToken
    } catch {
      return memoryToken
    }
  },
  /** False when the browser forbids local storage: the next page would not know us. */
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
      // Nothing was kept there either.
    }
  },
}

const signOutReasonKey = 'signed-out'
/** Why one was signed out, for the sign-in page: it stays until the next sign-in, in this tab. */
export const signOutNotice = {
  save(reason: string) {
    try {
      sessionStorage.setItem(signOutReasonKey, reason)
    } catch {
      // Then it is not said twice.
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
      // Nothing was kept there either.
    }
  },
}
/** What it says to whoever has signed out himself: a chat client does not sign him in again at once. */
export const signedOutMessage = '您已退出登录'

export const storageBlockedMessage = '浏览器禁止了本地存储，无法保持登录。请在浏览器设置中允许本站存储数据，然后重新登录。'
export const cookiesBlockedMessage = '浏览器禁止了 Cookie，无法保持登录。请在浏览器设置中允许本站使用 Cookie，然后重新登录。'
export const networkErrorMessage = '网络错误，请刷新后重试…'

const probeKey = 'probe'
/** Why nobody can be signed in here, before he types a password in vain. What a browser says about itself is not believed: it is tried. */
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
