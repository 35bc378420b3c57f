/** The port's half for a platform that keeps people's names to itself (WeCom's store): it searches by them and writes them into files in our place. */
import type { ChatApp } from '../types.ts'

/** A file that the platform translates: its ending says what it is. */
export type TranslatableFile = { readonly name: string; readonly bytes: Uint8Array }
export type HiddenNames = {
  /** Most names of one call of `search`. */
  readonly maxNamesPerCall: number
  /** Who is called exactly so, of those that the application may see; a name of nobody's has an empty list. */
  findByNames(app: ChatApp, names: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>
  /** Whom somebody chose in the client's own picker, of those that may be seen. Null: only what the client itself told of it is known. */
  getSelectedUsers(app: ChatApp, ticket: string): Promise<readonly string[] | null>
  /** What stands in a file where the platform is to write a name. */
  formatPlaceholder(kind: 'person' | 'department', id: string): string
  /** Begins; what it is asked after by. */
  startTranslation(app: ChatApp, file: TranslatableFile): Promise<string>
  /** Where the file is fetched, for a day, by somebody of that company who has signed in to the platform in the same browser. Null: not yet. */
  getTranslationUrl(app: ChatApp, job: string): Promise<string | null>
}
