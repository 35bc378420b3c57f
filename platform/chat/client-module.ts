/** What the browser half of a provider's folder uses and provides. It knows no provider by name. */

/** Values for configuring the client's script in a page: `config` on every platform, with different field names. */
export type ClientSignature = { readonly timestamp: string; readonly nonce: string; readonly signature: string }

/** Parameters of a code request: the application, and the state that is returned with the code. */
export type AuthCodeParams = {
  readonly corp_id: string
  readonly app_id: string
  readonly agent_id: string
  readonly state: string
}
/** The app declined: the user cancelled, or the application is not available to them. */
export class AuthCodeError extends Error {
  readonly cancelled: boolean
  constructor(cancelled: boolean) {
    super(cancelled ? 'cancelled' : 'refused')
    this.name = 'CodeRefused'
    this.cancelled = cancelled
  }
}

/** The chat app's window around a page. */
export type ChatFrame = {
  /** Sets the title above the page. */
  setTitle(text: string): void
  /** Closes the window and returns to the chat; false if the app does not close it. */
  close(): Promise<boolean>
}
/** The application a page belongs to and the signature for the page's URL; null if there is none. */
export type SignedPage = { readonly corp_id: string; readonly agent_id: string; readonly config: ClientSignature | null }
export type PageSigner = { sign(url: string): Promise<SignedPage | null> }

/** `user_id`: null if the application is not allowed to see the selected user. */
export type SelectedPlatformUser = { readonly ticket: string; readonly user_id: string | null }
/** Shows names that the platform hides from us. */
export type PlatformUserPicker = {
  /** Renders a name into a `ww-open-data` element that identifies the user by `type` and `openid`. */
  renderName(element: Element): void
  /** Null: nobody was selected. */
  selectUser(): Promise<SelectedPlatformUser | null>
}
/**
 * `unsigned`: the platform gave us no signature · `refused`: it does not accept the page as part of the application ·
 * `old`: the app cannot display names.
 */
export type UserPickerErrorReason = 'unsigned' | 'refused' | 'old'
export class UserPickerError extends Error {
  readonly reason: UserPickerErrorReason
  constructor(reason: UserPickerErrorReason) {
    super(reason)
    this.name = 'UserPickerError'
    this.reason = reason
  }
}

/**
 * Waits for the callback of an app's call and returns whether it succeeded; no callback counts as failure. (The bundler
 * would treat a function named `call` as free of side effects.)
 */
export function callWithTimeout(start: (yes: () => void, no: () => void) => void, timeoutMs = 2_000): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), timeoutMs)
    const settle = (succeeded: boolean) => () => {
      clearTimeout(timer)
      resolve(succeeded)
    }
    try {
      start(settle(true), settle(false))
    } catch {
      settle(false)()
    }
  })
}
