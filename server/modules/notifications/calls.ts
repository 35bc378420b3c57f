/** Binds the calls of notifications to their handlers. */
import * as contract from '../../contract/notifications/notifications.ts'
import { bindHandlers } from '../../http/handler.ts'
import { getNotificationList, markNotificationsRead } from './notifications.ts'

export const notificationHandlers = bindHandlers(contract, { getNotificationList, markNotificationsRead })
