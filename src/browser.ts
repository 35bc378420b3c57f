/** What the browser stores for the app and may forbid. Small, because the sign-in page loads it before anything else. */

type StorageName = 'localStorage' | 'sessionStorage'
/** Reading a storage already fails where the browser forbids it. */
const readStored = (storage: StorageName, key: string): string | null => {
  try {
    return globalThis[storage].getItem(key)
  } catch {
    return null
  }
}
/** Stores the text, or removes it if null. Returns false if the browser forbids the storage. */
const writeStored = (storage: StorageName, key: string, text: string | null): boolean => {
  try {
    if (text === null) globalThis[storage].removeItem(key)
    else globalThis[storage].setItem(key, text)
    return true
  } catch {
    return false
  }
}

/** The local storage key of one half of the session token (calls.md §1). */
export const tokenStorageKey = 'user-token'
/** The half of the token in memory. If storage is forbidden, it lasts only for this page. */
let memoryToken: string | null = null
export const session = {
  get token(): string | null {
    return readStored('localStorage', tokenStorageKey) ?? memoryToken
  },
  /** Returns false if the browser forbids local storage: the next page would not have the session. */
  setToken(token: string): boolean {
    memoryToken = token
    signOutNotice.clear()
    return writeStored('localStorage', tokenStorageKey, token)
  },
  clearToken() {
    memoryToken = null
    writeStored('localStorage', tokenStorageKey, null)
  },
}

const signOutReasonKey = 'signed-out'
/** The reason for a sign-out, for the sign-in page: it is stored for this tab until the next sign-in. */
export const signOutNotice = {
  save: (reason: string) => writeStored('sessionStorage', signOutReasonKey, reason),
  get reason(): string | null {
    return readStored('sessionStorage', signOutReasonKey)
  },
  clear: () => writeStored('sessionStorage', signOutReasonKey, null),
}

const phoneStorageKey = 'phone'
/** Stores the phone of the signed-in user, or removes it (null): whoever signs out deliberately leaves nothing behind. */
export const savePhone = (phone: string | null) => writeStored('localStorage', phoneStorageKey, phone)
/** Returns the phone of a user whose session has ended in this tab; '' for everyone else. */
export const getExpiredPhone = (): string =>
  (![null, signedOutMessage].includes(signOutNotice.reason) && readStored('localStorage', phoneStorageKey)) || ''

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
