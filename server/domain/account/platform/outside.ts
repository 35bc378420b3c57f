/** The chat platforms, for whoever is outdoors. */
import type { Platform, Platforms, Provider } from '../../../../platform/types.ts'
import { type Outdoors, onlyOutdoors } from '../../../runtime/data/outdoors.ts'

type Asked<K extends 'exchange' | 'sign'> = (outdoors: Outdoors, ...args: Parameters<Platform[K]>) => ReturnType<Platform[K]>
export type OutsidePlatform = Pick<Platform, 'authorizeUrl'> & {
  readonly exchange: Asked<'exchange'>
  readonly sign: Asked<'sign'>
}
export type OutsidePlatforms = Readonly<Record<Provider, OutsidePlatform>>

const outside = (platform: Platform): OutsidePlatform => ({
  authorizeUrl: (app, ask) => platform.authorizeUrl(app, ask),
  exchange: onlyOutdoors((app, ask) => platform.exchange(app, ask)),
  sign: onlyOutdoors((app, ask) => platform.sign(app, ask)),
})

export const outsidePlatforms = ({ lark, wecom, dingtalk }: Platforms): OutsidePlatforms => ({
  lark: outside(lark),
  wecom: outside(wecom),
  dingtalk: outside(dingtalk),
})
