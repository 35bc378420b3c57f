/** The part of the port for store applications: which companies installed ours, and who is an administrator there. */
import type { ChatApp, Identity, Suite } from '../chat-app.ts'

/** A company that installed our application from the platform's store. */
export type StoreInstallation = {
  readonly app: ChatApp
  readonly company_name: string | null
  /** Users whom the platform reports as administrators of the application; on Lark only the event contains them. */
  readonly installers: readonly string[]
}
export type Installs = {
  /**
   * Returns the URL where a company's administrator installs the application and returns to `redirect` (WeCom: with
   * `auth_code`). Null: only in the store itself.
   */
  getInstallUrl(suite: Suite, ask: { redirect: string; state: string }): Promise<string | null>
  /** Completes an installation by the redirect's or event's code, or the company's id. Idempotent except WeCom's code. */
  completeInstall(suite: Suite, ask: { code: string | null; corp_id: string | null }): Promise<StoreInstallation>
  /** Returns who signed in on the suite's own page (`buildAuthorizeUrl` without a company), with their company. */
  getIdentity(suite: Suite, ask: { code: string; redirect: string }): Promise<Identity>
}
