/** Handlers of the agency calls; news and to-dos, which any administrator may read. */
import * as contract from '../../contract/agency/agency.ts'
import { bindHandlers } from '../../http/handler.ts'
import { getNewsDetail, getNewsList } from './news.ts'
import { applyJoin, endService, enterCorp, getCorpList, getServiceList, leaveCorp } from './served-companies.ts'
import { splitSheet, uploadSplit } from './split-sheet.ts'
import { getTodoList } from './todos.ts'

export const agencyHandlers = bindHandlers(contract, {
  getCorpList,
  applyJoin,
  enterCorp,
  leaveCorp,
  splitSheet,
  uploadSplit,
  getServiceList,
  endService,
  getNewsList,
  getNewsDetail,
  getTodoList,
})
