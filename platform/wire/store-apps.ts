/** Our applications of the platforms' stores, as whoever runs this installation sets them: all of one, or nothing of it. */

const storeProviders = ['wecom', 'lark', 'dingtalk'] as const
type StoreProvider = (typeof storeProviders)[number]
/** One application, for all companies that install it. */
export type StoreApp = {
  /** WeCom: suite id. Lark: app id. DingTalk: suite key. */
  readonly id: string
  readonly secret: string
  /** Of its callback address. */
  readonly token: string
  readonly aes_key: string
  /** Its page in the store; needed where nothing else leads to an installation (Lark, DingTalk). */
  readonly page: string | null
  /** DingTalk: the approved form of its messages. */
  readonly template?: string | null
  /** WeCom: whoever made it, with the secret of all of his applications: names that are hidden are searched and translated by it. */
  readonly maker?: { readonly corp_id: string; readonly secret: string } | null
}
export type StoreApps = Partial<Readonly<Record<StoreProvider, StoreApp>>>

const parts = ['ID', 'SECRET', 'TOKEN', 'KEY', 'PAGE', 'TEMPLATE', 'PROVIDER', 'PROVIDER_SECRET'] as const
type Part = (typeof parts)[number]
/** What one platform alone has. */
const only: Partial<Readonly<Record<Part, StoreProvider>>> = { TEMPLATE: 'dingtalk', PROVIDER: 'wecom', PROVIDER_SECRET: 'wecom' }
const partsOf = (provider: StoreProvider) => parts.filter((part) => (only[part] ?? provider) === provider)
const nameOf = (provider: StoreProvider, part: Part): string => `XINHAN_STORE_${provider.toUpperCase()}_${part}`
export const storeVariables: readonly string[] = storeProviders.flatMap((provider) =>
  partsOf(provider).map((part) => nameOf(provider, part)),
)

type Need = (part: Part, form: RegExp, what: string) => string
function readMaker(env: Readonly<Record<string, string | undefined>>, need: Need): StoreApp['maker'] {
  if (!env[nameOf('wecom', 'PROVIDER')] && !env[nameOf('wecom', 'PROVIDER_SECRET')]) return null
  return {
    corp_id: need('PROVIDER', /^[\w-]{4,128}$/, 'the CorpID of whoever made the application is needed beside its secret'),
    secret: need('PROVIDER_SECRET', /^[\x21-\x7e]{8,200}$/, 'the ProviderSecret is needed beside the CorpID of whoever made it'),
  }
}

/** Throws one sentence that names the variable. */
export function readStores(env: Readonly<Record<string, string | undefined>>): StoreApps {
  const read = (provider: StoreProvider): StoreApp | null => {
    if (!partsOf(provider).some((part) => env[nameOf(provider, part)])) return null
    const need: Need = (part, form, what) => {
      const value = env[nameOf(provider, part)] ?? ''
      if (!form.test(value)) throw new Error(`environment variable ${nameOf(provider, part)}: ${what}`)
      return value
    }
    const given = env[nameOf(provider, 'PAGE')] || null
    return {
      id: need('ID', /^[\w-]{4,128}$/, 'the id of the application, as its console shows it, is needed beside the others'),
      secret: need('SECRET', /^[\x21-\x7e]{8,200}$/, 'the secret of the application is needed beside the others'),
      token: need('TOKEN', /^[\x21-\x7e]{3,64}$/, 'the token of its callback address is needed beside the others'),
      aes_key:
        provider !== 'lark'
          ? need('KEY', /^[A-Za-z0-9]{43}$/, 'the EncodingAESKey of its callback address: 43 letters and digits')
          : need('KEY', /^[\x21-\x7e]{3,128}$/, 'the Encrypt Key of its callback address is needed beside the others'),
      page:
        provider !== 'wecom' || given
          ? need('PAGE', /^https:\/\/[^\s"<>]{4,500}$/, 'the https address of its page in the store, where companies install it')
          : null,
      ...(provider === 'dingtalk'
        ? {
            template: env[nameOf(provider, 'TEMPLATE')]
              ? need('TEMPLATE', /^[\w-]{1,128}$/, 'the id of an approved template')
              : null,
          }
        : {}),
      ...(provider === 'wecom' ? { maker: readMaker(env, need) } : {}),
    }
  }
  return Object.fromEntries(
    storeProviders.flatMap((provider) => {
      const app = read(provider)
      return app ? [[provider, app]] : []
    }),
  )
}
