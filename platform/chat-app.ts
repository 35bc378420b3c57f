/** Applications on workplace chat platforms, and the identities that they learn. */
import type { Provider } from './chat/providers.ts'

export type { Provider }

/** Our application in a platform's store, which many companies install; it belongs to this installation of the product. */
export type Suite = {
  /** The app id on Lark, the suite id on WeCom, the suite key on DingTalk. */
  readonly id: string
  readonly secret: string
  /** The latest ticket that was pushed (event `ticket`); null before the first. */
  readonly ticket: string | null
  /** DingTalk: the approved message template; without it messages are sent like those of a company's own application. */
  readonly template?: string | null
  /** WeCom: the vendor account; without it hidden names can be neither searched nor translated. */
  readonly developer?: { readonly corp_id: string; readonly secret: string } | null
}

/** A company's own application on its platform; with `suite`, its installation of our store application. */
export type ChatApp = {
  readonly provider: Provider
  /** The tenant_key on Lark, the corpid on WeCom, the corpId on DingTalk. */
  readonly corp_id: string
  /** Lark: app id. WeCom: the agent id again (an application has no other id there). DingTalk: client id (app key). */
  readonly app_id: string
  readonly agent_id: string
  /**
   * WeCom with `suite`: the permanent code. Lark and DingTalk with `suite`: empty (DingTalk's permanent code is used
   * for activation only).
   */
  readonly secret: string
  readonly suite?: Suite
}
/** The part of it that a browser may see. */
export type PublicChatApp = Omit<ChatApp, 'secret' | 'suite'>

/**
 * Where a code was obtained: on the platform's sign-in page, or from the chat client's script. They are exchanged
 * differently.
 */
export type AuthCodeSource = 'page' | 'client'

export type Identity = {
  readonly provider: Provider
  readonly corp_id: string
  /** Unique within the company; on Lark the open id, which no administrator can assign to another user. */
  readonly user_id: string
  readonly union_id: string | null
  readonly name: string | null
  /** The number as the platform's administrators imported it, so it proves nothing about the user. */
  readonly mobile: string | null
}
