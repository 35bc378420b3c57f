/** The part of the port for a platform that hides names (WeCom's store): it searches and inserts names for us. */
import type { ChatApp } from '../chat-app.ts'

/** A file that the platform translates; its extension determines the type. */
export type TranslatableFile = { readonly name: string; readonly bytes: Uint8Array }
export type HiddenNames = {
  /** Maximum number of names per call of `findByNames`. */
  readonly maxNamesPerCall: number
  /** Returns the visible users with exactly these names; an unknown name has an empty list. */
  findByNames(app: ChatApp, names: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>
  /** Returns the visible users selected in the client's own picker. Null: only what the client itself reported is known. */
  getSelectedUsers(app: ChatApp, ticket: string): Promise<readonly string[] | null>
  /** Returns the placeholder that the platform replaces by a name in a file. */
  formatPlaceholder(kind: 'person' | 'department', id: string): string
  /** Starts a translation; returns the id of the job. */
  startTranslation(app: ChatApp, file: TranslatableFile): Promise<string>
  /** Returns the URL of the file, valid one day for a user signed in to the platform in the same browser. Null: not ready. */
  getTranslationUrl(app: ChatApp, job: string): Promise<string | null>
}
