/**
 * The company's chat platform: its binding, its directory and the links between its users and roster members. Writes
 * binding, binding_event, platform_sync, platform_sync_item, platform_department, platform_user, platform_event and
 * platform_install_request.
 */
import type { Platforms } from '../../../platform/types.ts'
import * as contract from '../../contract/platform-binding/binding.ts'
import * as byInstalling from '../../contract/platform-binding/install.ts'
import * as colleagues from '../../contract/platform-binding/platform-users.ts'
import { mapProviders } from '../../contract/shared/providers.ts'
import { bindHandlers, type Handler } from '../../http/handler.ts'
import type { Log } from '../../observability/log.ts'
import { bindPlatform, checkPlatform } from './bind.ts'
import { type CallbackHandler, createCallbackHandler } from './callback.ts'
import { combinePlatform, getCorpCombineInfo } from './combine/combine.ts'
import { exportPlatformUsers, getPlatformUserExport } from './combine/export.ts'
import { createHiddenNames } from './combine/hidden-names.ts'
import { resolvePlatformUser } from './combine/resolve-picked.ts'
import { searchPlatformUsers } from './combine/search.ts'
import { createExternalDirectories, createExternalInstalls } from './external-platforms.ts'
import { getPlatformInfo } from './info.ts'
import { finishInstall, installPlatform } from './store/install.ts'
import type { StoreSuites } from './store/suites.ts'
import { applySync, getSyncChanges, getSyncStatus } from './sync/calls.ts'
import { registerSyncJobs, type SyncDeps } from './sync/job.ts'
import { applyUnBindingPlatform, registerUnbindDecision } from './unbind.ts'

type BindingModuleDeps = Omit<SyncDeps, 'directories'> & {
  readonly platforms: Platforms
  readonly log: Log
  readonly suites: StoreSuites
  readonly serverIps: readonly string[]
}

/** Creates the handlers and registers the jobs. */
export function createBindingModule({ platforms, log, suites, serverIps, ...deps }: BindingModuleDeps): {
  handlers: Handler[]
  callbacks: CallbackHandler
} {
  const directories = createExternalDirectories(platforms)
  const runInCompany = registerSyncJobs({ ...deps, directories })
  registerUnbindDecision()
  const callbacks = mapProviders((provider) => platforms[provider].callbacks)
  const installs = createExternalInstalls(platforms)
  const { database, secrets } = deps
  const installDeps = { database, secrets, directories, installs, suites, platforms, runInCompany }
  const hiddenNames = createHiddenNames(platforms, suites)
  const handlers = bindHandlers(contract, {
    bindPlatform: bindPlatform(installDeps),
    checkPlatform: checkPlatform(directories),
    getPlatformInfo: getPlatformInfo({ directories, suites, hiddenNames, serverIps }),
    applyUnBindingPlatform,
    applySync,
    getSyncStatus,
    getSyncChanges,
    getCorpCombineInfo,
    combinePlatform,
  })
  const installHandlers = bindHandlers(byInstalling, {
    installPlatform: installPlatform(installDeps),
    finishInstall: finishInstall(installDeps),
  })
  const platformUserHandlers = bindHandlers(colleagues, {
    searchPlatformUsers: searchPlatformUsers(hiddenNames),
    resolvePlatformUser: resolvePlatformUser(hiddenNames),
    exportPlatformUsers: exportPlatformUsers(hiddenNames),
    getPlatformUserExport: getPlatformUserExport(hiddenNames),
  })
  return {
    handlers: [...handlers, ...installHandlers, ...platformUserHandlers],
    callbacks: createCallbackHandler({ ...deps, log, callbacks, installs, suites, runInCompany }),
  }
}
