/** Settings of our store applications, made by the operator of this installation: for each one all values or none. */
import { chatProviderRules, type Provider, providers } from '../chat/providers.ts'

/** One store application, for all companies that install it. */
export type StoreApp = {
  /** The suite id on WeCom, the app id on Lark, the suite key on DingTalk. */
  readonly id: string
  readonly secret: string
  /** Token of its callback URL. */
  readonly token: string
  readonly aes_key: string
  /** URL of its page in the store; needed where there is no other way to install it (Lark, DingTalk). */
  readonly page: string | null
  /** DingTalk: the approved message template. */
  readonly template?: string | null
  /** WeCom: the vendor account with the secret for all of its applications, used to search and translate hidden names. */
  readonly developer?: { readonly corp_id: string; readonly secret: string } | null
}
export type StoreApps = Partial<Readonly<Record<Provider, StoreApp>>>

const commonSuffixes = ['ID', 'SECRET', 'TOKEN', 'KEY', 'PAGE'] as const
const vendorSuffixes = ['PROVIDER', 'PROVIDER_SECRET'] as const
type VariableSuffix = (typeof commonSuffixes)[number] | 'TEMPLATE' | (typeof vendorSuffixes)[number]
function getSuffixes(provider: Provider): VariableSuffix[] {
  const { hasStoreTemplate, hasVendorAccount } = chatProviderRules[provider]
  return [...commonSuffixes, ...(hasStoreTemplate ? (['TEMPLATE'] as const) : []), ...(hasVendorAccount ? vendorSuffixes : [])]
}
const getVariableName = (provider: Provider, suffix: VariableSuffix): string => `XINHAN_STORE_${provider.toUpperCase()}_${suffix}`
export const storeEnvVariables: readonly string[] = providers.flatMap((provider) =>
  getSuffixes(provider).map((suffix) => getVariableName(provider, suffix)),
)

type RequireVariable = (part: VariableSuffix, form: RegExp, what: string) => string
function parseDeveloper(
  env: Readonly<Record<string, string | undefined>>,
  provider: Provider,
  requireVariable: RequireVariable,
): StoreApp['developer'] {
  if (!vendorSuffixes.some((suffix) => env[getVariableName(provider, suffix)])) return null
  return {
    corp_id: requireVariable(
      'PROVIDER',
      /^[\w-]{4,128}$/,
      'the CorpID of whoever made the application is needed beside its secret',
    ),
    secret: requireVariable(
      'PROVIDER_SECRET',
      /^[\x21-\x7e]{8,200}$/,
      'the ProviderSecret is needed beside the CorpID of whoever made it',
    ),
  }
}

/** Throws an error that names the variable. */
export function parseStoreApps(env: Readonly<Record<string, string | undefined>>): StoreApps {
  const parseStoreApp = (provider: Provider): StoreApp | null => {
    const { hasEncodingAesKey, hasInstallPage, hasStoreTemplate, hasVendorAccount } = chatProviderRules[provider]
    if (!getSuffixes(provider).some((suffix) => env[getVariableName(provider, suffix)])) return null
    const requireVariable: RequireVariable = (suffix, form, what) => {
      const value = env[getVariableName(provider, suffix)] ?? ''
      if (!form.test(value)) throw new Error(`environment variable ${getVariableName(provider, suffix)}: ${what}`)
      return value
    }
    const storePage = env[getVariableName(provider, 'PAGE')] || null
    return {
      id: requireVariable(
        'ID',
        /^[\w-]{4,128}$/,
        'the id of the application, as its console shows it, is needed beside the others',
      ),
      secret: requireVariable('SECRET', /^[\x21-\x7e]{8,200}$/, 'the secret of the application is needed beside the others'),
      token: requireVariable('TOKEN', /^[\x21-\x7e]{3,64}$/, 'the token of its callback address is needed beside the others'),
      aes_key: hasEncodingAesKey
        ? requireVariable('KEY', /^[A-Za-z0-9]{43}$/, 'the EncodingAESKey of its callback address: 43 letters and digits')
        : requireVariable('KEY', /^[\x21-\x7e]{3,128}$/, 'the Encrypt Key of its callback address is needed beside the others'),
      page:
        !hasInstallPage || storePage
          ? requireVariable(
              'PAGE',
              /^https:\/\/[^\s"<>]{4,500}$/,
              'the https address of its page in the store, where companies install it',
            )
          : null,
      ...(hasStoreTemplate
        ? {
            template: env[getVariableName(provider, 'TEMPLATE')]
              ? requireVariable('TEMPLATE', /^[\w-]{1,128}$/, 'the id of an approved template')
              : null,
          }
        : {}),
      ...(hasVendorAccount ? { developer: parseDeveloper(env, provider, requireVariable) } : {}),
    }
  }
  return Object.fromEntries(
    providers.flatMap((provider) => {
      const app = parseStoreApp(provider)
      return app ? [[provider, app]] : []
    }),
  )
}
