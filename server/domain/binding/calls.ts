/**
 * The company's chat platform: its binding, the directory there, who of it is whom here. Writes binding, binding_event, platform_sync,
 * platform_staged, platform_department, platform_person and platform_event.
 */
import type { Platforms } from '../../../platform/types.ts'
import * as contract from '../../contract/people/binding.ts'
import { type Handler, implement } from '../../runtime/handle.ts'
import type { Log } from '../../runtime/log.ts'
import { bindPlatform, checkPlatform } from './bind.ts'
import { type CallbackEntry, openCallbacks } from './callback.ts'
import { combinePlatform, getCorpCombineInfo } from './combine.ts'
import { getPlatformInfo } from './info.ts'
import { outsideDirectories } from './outside.ts'
import { applySync, getSyncChanges, getSyncStatus } from './sync/calls.ts'
import { openSync, type SyncParts } from './sync/job.ts'
import { applyUnBindingPlatform, decideUnbinding } from './unbind.ts'

type Parts = Omit<SyncParts, 'directories'> & { readonly platforms: Platforms; readonly log: Log }

/** Binds the calls, declares the jobs. */
export function openBinding({ platforms, log, ...parts }: Parts): { handlers: Handler[]; callbacks: CallbackEntry } {
  const directories = outsideDirectories(platforms)
  openSync({ ...parts, directories })
  decideUnbinding()
  const { lark, wecom, dingtalk } = platforms
  const callbacks = { lark: lark.callbacks, wecom: wecom.callbacks, dingtalk: dingtalk.callbacks }
  const handlers = implement(contract, {
    bindPlatform: bindPlatform(directories),
    checkPlatform: checkPlatform(directories),
    getPlatformInfo: getPlatformInfo(directories),
    applyUnBindingPlatform,
    applySync,
    getSyncStatus,
    getSyncChanges,
    getCorpCombineInfo,
    combinePlatform,
  })
  return { handlers, callbacks: openCallbacks({ ...parts, log, callbacks }) }
}
