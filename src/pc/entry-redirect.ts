/** `/index.html` (spec §2): phones go to their sign-in, everything wider to the product page. */
location.replace(window.innerWidth < 800 ? '/m/login' : '/pc/page/index/index.html')
