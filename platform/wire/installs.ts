/** The port's half for applications of a store: who installed ours, and who proves to be an administrator there. */
import type { ChatApp, Identity, Suite } from '../types.ts'

/** A company that installed our application from the platform's store. */
export type StoreInstallation = {
  readonly app: ChatApp
  readonly company_name: string | null
  /** Which of its people the platform calls administrators of it; Lark says so in its event alone. */
  readonly installers: readonly string[]
}
export type Installs = {
  /** Where a company's administrator installs it; he comes back to `redirect` (WeCom: with `auth_code`). Null: only in the store itself. */
  getInstallUrl(suite: Suite, ask: { redirect: string; state: string }): Promise<string | null>
  /** By the code of the redirect or the event, or by the company's id where there is no code. Idempotent but for WeCom's code. */
  completeInstall(suite: Suite, ask: { code: string | null; corp_id: string | null }): Promise<StoreInstallation>
  /** Who came by the suite's own sign-in page (`authorizeUrl` without a company), of whatever company: it is told by the answer. */
  getIdentity(suite: Suite, ask: { code: string; redirect: string }): Promise<Identity>
}
