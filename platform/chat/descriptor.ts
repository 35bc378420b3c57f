/**
 * What the rest of the product knows about a chat provider without calling it. Everything that differs from provider to
 * provider is a field here; nothing else compares a provider with a name. The descriptor itself is what every page of
 * the client loads, therefore it is small: the rules stay on the server, and `browser.ts` is loaded on demand.
 */
import type { AuthCodeParams, ChatFrame, PageSigner, PlatformUserPicker } from './client-module.ts'

/** Message quotas documented by the platform. */
export type ChatQuota = {
  /** Maximum number of messages to one user from one application; null if it is not documented. */
  readonly perPersonPerDay: number | null
  readonly perPersonPerMinute: number | null
  /** Maximum number of messages from one application, regardless of the recipient. */
  readonly perDay: number | null
  /** Messages from one application per member that the company may have (WeCom counts recipients). */
  readonly perMemberPerDay: number | null
  /** Recipients per minute in total. */
  readonly perMinute: number | null
}

/** Texts of the page on which administrators bind their application, in the words of the platform's own console. */
export type ChatConsole = {
  /** What is needed before binding, in the order in which the console shows it. */
  readonly prerequisites: readonly string[]
  /** Null: the form has no such field. */
  readonly fields: {
    readonly corp_id: string
    readonly app_id: string | null
    readonly agent_id: string | null
    readonly secret: string
    /** A hint where the console does not show the value. */
    readonly corp_id_hint?: string
  }
  /** How it is proven that the application belongs to the company, where the platform did not confirm it. */
  readonly verification: string
  readonly callbackFields: { readonly token: string; readonly aes_key: string }
}

export type ChatProviderDescriptor = {
  /** Display name. */
  readonly label: string
  /** Recognizes the provider's app. */
  readonly userAgent: RegExp
  /** Whether the platform hides users' names from store applications and shows them in its own app. */
  readonly hidesNames?: true
}

/** What `browser.ts` in a provider's folder exports, as `browser`. */
export type ChatProviderBrowser = {
  /** Requests a sign-in code inside the app. Null: the app provides codes on its sign-in page only. */
  readonly getAuthCode: ((window: Window, params: AuthCodeParams) => Promise<string | null>) | null
  /** Disables forwarding of the page. Null if the app's script cannot be loaded. */
  readonly createFrame: (window: Window, signer: PageSigner) => Promise<ChatFrame | null>
  /** The value is null if the platform hides no names. */
  readonly createUserPicker: ((window: Window, signer: PageSigner) => Promise<PlatformUserPicker>) | null
  readonly loadConsole: () => Promise<ChatConsole>
}

/** What only the server needs. */
export type ChatProviderRules = {
  /** Recognizes the provider in the header of a column with accounts. */
  readonly columnName: RegExp
  /** The host of the script that the app's pages load; null: the script is part of our own files. */
  readonly scriptHost: string | null
  /** The host of the script that renders hidden names; null: the platform hides none. */
  readonly namesHost: string | null
  /** The list of server addresses that may call as the application, as the platform's console names it. */
  readonly addressList: string
  /** The field of the bind form that identifies the application. */
  readonly appIdField: 'app_id' | 'agent_id'
  /** Whether the key of the event URL is an EncodingAESKey: 43 letters and digits. */
  readonly hasEncodingAesKey: boolean
  /** The receiver ids for which the platform encrypts events of a company's own application. */
  readonly callbackReceivers: readonly ('app_id' | 'corp_id')[]
  /**
   * Sign-in sources by which the platform confirms the application's company. DingTalk's client names no company, and
   * on its page users choose among all of theirs, regardless of the requesting application: that identifies the user's
   * company, not the application's.
   */
  readonly verifyingSources: readonly ('page' | 'client')[]
  /** Whether the store application is installed from our page; otherwise only in the store itself. */
  readonly hasInstallPage: boolean
  /** Whether an installation has a permanent code, which is given once. */
  readonly hasPermanentCode: boolean
  /** Whether messages of the store application need a template that the platform approved. */
  readonly hasStoreTemplate: boolean
  /** Whether the vendor of the store application has an account of its own, by whose secret hidden names are searched. */
  readonly hasVendorAccount: boolean
  /** How often the platform pushes the ticket of a store application. */
  readonly ticketInterval: string
  /** For a company's own application. */
  readonly quota: ChatQuota
}
