/**
 * Names that WeCom hides from store applications. For the application's vendor it searches by name and translates files
 * that contain `$userName=…$` (documents 91844, 91846, 91882, 99310); its client offers a user picker (94516, 94894).
 * None of it is in platform/wecom.md.
 */
import { type HiddenNames, PlatformError, type Suite } from '../../types.ts'
import { requireText, toObject, toObjectList, toText, toTextList } from '../../wire/request.ts'
import type { WecomApi } from './api.ts'

/** A larger number of users with the same name could not be distinguished by name anyway. */
const maxNamesakes = 200

function requireSuite({ suite }: { readonly suite?: Suite }): Suite {
  if (!suite)
    throw new PlatformError('wecom', 'unsupported', 'not_of_store', 'names are hidden from applications of the store only')
  return suite
}

export function createWecomHiddenNames({ post, get, upload, withToken, withDeveloper }: WecomApi): HiddenNames {
  return {
    maxNamesPerCall: 50,
    async findByNames(app, names) {
      const requested = names.map((query_word) => ({
        query_word,
        query_type: 1,
        offset: 0,
        limit: maxNamesakes,
        full_match_field: 1,
      }))
      const asking = { auth_corpid: app.corp_id, agentid: Number(app.agent_id), query_request_list: requested }
      const body = await withDeveloper(requireSuite(app), (provider_access_token) =>
        post('/cgi-bin/service/contact/batchsearch', { provider_access_token }, asking),
      )
      const matches = new Map<string, readonly string[]>(names.map((name) => [name, []]))
      for (const [at, one] of toObjectList(body.query_result_list).entries()) {
        const name = toText(toObject(one.query_request).query_word) ?? names[at] ?? ''
        if (matches.has(name)) matches.set(name, toTextList(toObject(toObject(one.query_result).user).userid))
      }
      return matches
    },
    async getSelectedUsers(app, selected_ticket) {
      requireSuite(app)
      try {
        const body = await withToken(app, (access_token) =>
          post('/cgi-bin/user/list_selected_ticket_user', { access_token }, { selected_ticket }),
        )
        return toTextList(body.open_userid_list)
      } catch (error) {
        // Names are only available if each member has consented individually.
        if (error instanceof PlatformError && error.kind === 'not_permitted') return null
        throw error
      }
    },
    formatPlaceholder: (kind, id) => (kind === 'person' ? `$userName=${id}$` : `$departmentName=${id}$`),
    async startTranslation(app, file) {
      const suite = requireSuite(app)
      const media = await withDeveloper(suite, (provider_access_token) =>
        upload('/cgi-bin/service/media/upload', { provider_access_token, type: 'file' }, file),
      )
      // A single file needs no archive name and is returned with its type unchanged.
      const asking = { auth_corpid: app.corp_id, media_id_list: [requireText('wecom', media.media_id)] }
      const body = await withDeveloper(suite, (provider_access_token) =>
        post('/cgi-bin/service/contact/id_translate', { provider_access_token }, asking),
      )
      return requireText('wecom', body.jobid)
    },
    async getTranslationUrl(app, jobid) {
      const body = await withDeveloper(requireSuite(app), (provider_access_token) =>
        get('/cgi-bin/service/batch/getresult', { provider_access_token, jobid }),
      )
      if (toText(body.status) !== '3') return null
      const url = requireText('wecom', toObject(toObject(body.result).contact_id_translate).url)
      if (!/^https?:\/\//.test(url)) throw new PlatformError('wecom', 'unknown', 'address', 'the answer has no address')
      return url
    },
  }
}
