
1½
<type.googleapis.com/envoy.config.route.v3.RouteConfigurationü
main&
loginlogin.example

/
login#
mailmail.example

/
mail¦
shopshop.example

/edge
edgeH
<
:/search/in/all/departments/of/the/shop/and/in/those/of/oth
search

/stock
stock
	
/prices
prices
	
/images
images


/reviews	
reviews
	
/orders
orders2

/pay(&

payments-v2Z

payments-v3


/
web