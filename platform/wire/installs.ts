/**
 * The part of the port for store applications: which companies installed ours, and who is proven to be an administrator
 * there.
 */
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
  /**
   * Completes an installation by the code of the redirect or the event, or by the company's id if there is no code.
   * Idempotent except for WeCom's code.
   */
  completeInstall(suite: Suite, ask: { code: string | null; corp_id: string | null }): Promise<StoreInstallation>
  /**
   * Returns who signed in on the suite's own sign-in page (`buildAuthorizeUrl` without a company); the company is part
   * of the result.
   */
  getIdentity(suite: Suite, ask: { code: string; redirect: string }): Promise<Identity>
}
