/** What the browser keeps for us, and what it may forbid. Small: the sign-in page has it before anything else. */

/** Where the half of the session lies that local storage keeps (calls.md §1). */
export const tokenKey = 'user-token'
/** That half. Storage may be forbidden: then it lasts for this page. */
let remembered: string | null = null
export const session = {
  get token(): string | null {
    try {
      return localStorage.getItem(tokenKey) ?? remembered
    } catch {
      return remembered
    }
  },
  /** False when the browser forbids local storage: the next page would not know us. */
  keep(token: string): boolean {
    remembered = token
    farewell.forget()
    try {
      localStorage.setItem(tokenKey, token)
      return true
    } catch {
      return false
    }
  },
  forget() {
    remembered = null
    try {
      localStorage.removeItem(tokenKey)
    } catch {
      // Nothing was kept there either.
    }
  },
}

const reasonKey = 'signed-out'
/** Why one was signed out, for the sign-in page: it stays until the next sign-in, in this tab. */
export const farewell = {
  keep(reason: string) {
    try {
      sessionStorage.setItem(reasonKey, reason)
    } catch {
      // Then it is not said twice.
    }
  },
  get reason(): string | null {
    try {
      return sessionStorage.getItem(reasonKey)
    } catch {
      return null
    }
  },
  forget() {
    try {
      sessionStorage.removeItem(reasonKey)
    } catch {
      // Nothing was kept there either.
    }
  },
}
/** What it says to whoever has signed out himself: a chat client does not sign him in again at once. */
export const signedOut = '您已退出登录'

export const storageForbidden = '浏览器禁止了本地存储，无法保持登录。请在浏览器设置中允许本站存储数据，然后重新登录。'
export const cookiesForbidden = '浏览器禁止了 Cookie，无法保持登录。请在浏览器设置中允许本站使用 Cookie，然后重新登录。'
export const networkLost = '网络错误，请刷新后重试…'

const probe = 'probe'
/** Why nobody can be signed in here, before he types a password in vain. What a browser says about itself is not believed: it is tried. */
export function obstacle(): string | null {
  try {
    localStorage.setItem(probe, probe)
    localStorage.removeItem(probe)
  } catch {
    return storageForbidden
  }
  try {
    document.cookie = `${probe}=1; path=/; SameSite=Strict`
    const kept = document.cookie.includes(`${probe}=1`)
    document.cookie = `${probe}=; path=/; SameSite=Strict; max-age=0`
    return kept ? null : cookiesForbidden
  } catch {
    return cookiesForbidden
  }
}
