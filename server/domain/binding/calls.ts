/**
 * The company's chat platform: its binding, the directory there, who of it is whom here. Writes binding, binding_event, platform_sync,
 * platform_staged, platform_department, platform_person, platform_event and platform_install_ask.
 */
import type { Platforms } from '../../../platform/types.ts'
import * as contract from '../../contract/people/binding.ts'
import * as colleagues from '../../contract/people/colleagues.ts'
import * as byInstalling from '../../contract/people/installing.ts'
import { type Handler, implement } from '../../runtime/handle.ts'
import type { Log } from '../../runtime/log.ts'
import { bindPlatform, checkPlatform } from './bind.ts'
import { type CallbackEntry, openCallbacks } from './callback.ts'
import { combinePlatform, getCorpCombineInfo } from './combine/combine.ts'
import { openHidden } from './combine/hidden.ts'
import { resolveColleague } from './combine/picked.ts'
import { searchColleagues } from './combine/search.ts'
import { exportColleagues, getColleaguesFile } from './combine/sheet.ts'
import { getPlatformInfo } from './info.ts'
import { outsideDirectories, outsideInstalls } from './outside.ts'
import { finishInstall, installPlatform } from './store/install.ts'
import type { Suites } from './store/suites.ts'
import { applySync, getSyncChanges, getSyncStatus } from './sync/calls.ts'
import { openSync, type SyncParts } from './sync/job.ts'
import { applyUnBindingPlatform, decideUnbinding } from './unbind.ts'

type Parts = Omit<SyncParts, 'directories'> & { readonly platforms: Platforms; readonly log: Log; readonly suites: Suites }

/** Binds the calls, declares the jobs. */
export function openBinding({ platforms, log, suites, ...parts }: Parts): { handlers: Handler[]; callbacks: CallbackEntry } {
  const directories = outsideDirectories(platforms)
  const inside = openSync({ ...parts, directories })
  decideUnbinding()
  const { lark, wecom, dingtalk } = platforms
  const callbacks = { lark: lark.callbacks, wecom: wecom.callbacks, dingtalk: dingtalk.callbacks }
  const installs = outsideInstalls(platforms)
  const { database, secrets } = parts
  const installing = { database, secrets, directories, installs, suites, platforms, inside }
  const hides = openHidden(platforms, suites)
  const handlers = implement(contract, {
    bindPlatform: bindPlatform(installing),
    checkPlatform: checkPlatform(directories),
    getPlatformInfo: getPlatformInfo({ directories, suites, hides }),
    applyUnBindingPlatform,
    applySync,
    getSyncStatus,
    getSyncChanges,
    getCorpCombineInfo,
    combinePlatform,
  })
  const byStore = implement(byInstalling, {
    installPlatform: installPlatform(installing),
    finishInstall: finishInstall(installing),
  })
  const ofHidden = implement(colleagues, {
    searchColleagues: searchColleagues(hides),
    resolveColleague: resolveColleague(hides),
    exportColleagues: exportColleagues(hides),
    getColleaguesFile: getColleaguesFile(hides),
  })
  return {
    handlers: [...handlers, ...byStore, ...ofHidden],
    callbacks: openCallbacks({ ...parts, log, callbacks, installs, suites, inside }),
  }
}
