/** The pages that users open most often from a page, by route id: their code is loaded once the page is idle. */
export const nextPages: Readonly<Record<string, readonly string[]>> = {
  '/m/slips': ['/m/slip/$id', '/m/me'],
  '/m/slip/$id': ['/m/feedback/$id', '/m/slips'],
  '/_desk/home': ['/_desk/wageAdmin', '/_desk/_send/wageSend1', '/_desk/_people/companyMember', '/_desk/memberFeedback'],
}
